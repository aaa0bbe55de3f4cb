"""What a scenario is made of, and what each of its variants promises.

A variant is a module ``windtunnel_scenarios.<scenario>.<variant>`` with one function ``prepare(load)``: a context
manager that opens loops, pools, connections and files, yields a ``Run``, and closes all it opened, also when the body
raises.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

Outcome: TypeAlias = tuple[object, ...]
"""What a run returns: equal for every variant of a scenario, so that all of them did the same job."""

Run: TypeAlias = Callable[[], Outcome]
"""The timed region: does the whole job once; may be called any number of times."""


class Recording(Protocol):
    """A run that is measured by what it records, in seconds or bytes, and not by how long it takes."""

    recorded: tuple[float, ...]
    """Of the last run."""

    def __call__(self) -> Outcome: ...


class LoadName(StrEnum):
    """How much of a job; part of a case's identity."""

    TRIAL = "trial"  # proves the contract in milliseconds; never timed
    QUICK = "quick"  # catches a broken scenario, judges nothing
    STANDARD = "standard"  # every commit
    ARTICLE = "article"  # the sizes that were published


class Load(Protocol):
    """A scenario's own frozen dataclass of sizes."""

    @property
    def name(self) -> LoadName: ...

    @property
    def outcome(self) -> Outcome:
        """What a run with this load returns when it did the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A way of carrying out a job, listed without importing what it needs."""

    name: str
    needs: tuple[str, ...] = ()
    """Import names of the libraries without which the variant is skipped."""
    tools: tuple[str, ...] = ()
    """Commands without which the variant is skipped."""
    since: tuple[int, int] = (3, 11)
    """The first Python that has what the variant uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A job with its variants, ``sync`` or its like first, and its loads."""

    name: str
    variants: tuple[Variant, ...]
    loads: tuple[Load, ...]
    folder: str = ""
    """Where the variants' modules are, when another scenario has the same job with other loads."""
    unwarmed: tuple[LoadName, ...] = ()
    """Loads whose first run is timed: it lasts so long, or begins so much anew, that one before it changes nothing."""

    def module(self, variant: Variant) -> str:
        """The module that carries the job out in this way."""
        return f"windtunnel_scenarios.{self.folder or self.name}.{variant.name}"


class UnavailableError(NotImplementedError):
    """This case is absent from this environment or commit; asv skips a NotImplementedError and prints why."""


class WrongOutcomeError(Exception):
    """A variant did not do its job, so its time would mean nothing."""

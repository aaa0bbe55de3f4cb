"""What a scenario is made of: its variants, its loads, and what a run of it returns."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

Outcome: TypeAlias = tuple[object, ...]
"""What a run returns. All variants of a scenario return the same outcome, so all of them did the same job."""

Run: TypeAlias = Callable[[], Outcome]
"""The timed region: does the whole job once. It can be called any number of times."""


class RecordingRun(Protocol):
    """A run that is measured by what it records, not by how long it takes."""

    @property
    def recorded(self) -> Mapping[str, tuple[float, ...]]:
        """The values of the last run, in seconds or bytes, by the name of the measure."""

    def __call__(self) -> Outcome: ...


class LoadName(StrEnum):
    """The size of a job; part of a case's identity."""

    TRIAL = "trial"
    """Takes milliseconds. The contract tests use it. It is never timed."""
    QUICK = "quick"
    """Catches a broken scenario. No claim is decided from it."""
    STANDARD = "standard"
    """For every commit."""
    ARTICLE = "article"
    """The size of the published experiment, or a large size where there is none; may be left out."""


class Load(Protocol):
    """A scenario's own frozen dataclass of sizes."""

    @property
    def outcome(self) -> Outcome:
        """What a run with this load returns when it did the job."""


L = TypeVar("L", bound=Load)
L_contra = TypeVar("L_contra", bound=Load, contravariant=True)


class Technique(Protocol[L_contra]):
    """A way to do a job: a context manager that opens what it needs, yields the run, and closes everything."""

    def __call__(self, load: L_contra, /) -> AbstractContextManager[Run]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Generic[L]):
    """A technique with a name, and what it requires."""

    name: str
    technique: Technique[L]
    requires: tuple[str, ...] = ()
    """Import names of modules. The variant is unavailable where one is absent."""
    commands: tuple[str, ...] = ()
    """Programs on the PATH. The variant is unavailable where one is absent."""
    min_python: tuple[int, int] = (3, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loads(Generic[L]):
    """The loads of a scenario, from the smallest to the largest."""

    trial: L
    quick: L
    standard: L
    article: L | None = None

    def __iter__(self) -> Iterator[tuple[LoadName, L]]:
        """Each load with its name."""
        for name in LoadName:
            load: L | None = getattr(self, name)
            if load is not None:
                yield name, load


@dataclass(frozen=True, slots=True, kw_only=True)
class Series(Generic[L]):
    """Loads between which an answer may change. Claims time them; the main job and ``--full`` do not."""

    trial: L
    points: Mapping[str, L]
    """The loads that are timed, each with its name."""

    def __iter__(self) -> Iterator[tuple[str, L]]:
        """Each load with its name."""
        yield LoadName.TRIAL, self.trial
        yield from self.points.items()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario(Generic[L]):
    """A job, the loads it is done with, and the variants that do it."""

    name: str
    loads: Loads[L] | Series[L]
    variants: tuple[Variant[L], ...]
    """The synchronous variant comes first."""
    skip_warmup: tuple[str, ...] = ()
    """Loads whose first run is timed: a run before it would change nothing, because runs are long or start afresh."""


AnyScenario: TypeAlias = Scenario[Any]


class UnavailableError(NotImplementedError):
    """This environment or commit does not have the case. asv skips a NotImplementedError and prints the reason."""


class WrongOutcomeError(Exception):
    """A run did not do its job, so its time would mean nothing."""

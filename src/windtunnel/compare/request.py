"""What to compare, where to measure, and the events that report progress."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import CommitReady
from windtunnel.compare.format import ComparedMachine, PairedSamples, Rules, StageSamples
from windtunnel.model.measure import CaseIdentity
from windtunnel.model.schedule import Process, Stage
from windtunnel.model.settings import Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchStarted:
    """Some processes are about to run."""

    stage: Stage
    cases: int
    processes: int


Listener = Callable[[BatchStarted | Process | CommitReady], None]
"""Receives each event of a comparison as it happens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """What to compare, and how long to measure."""

    base: str
    head: str
    bench: tuple[str, ...] = ()
    """Regular expressions that select cases; empty for all cases."""
    shard: tuple[int, int] = (1, 1)
    """Which part of the benchmarks to measure, from 1, and the number of parts."""
    only: tuple[PairedSamples, ...] | None = None
    """The suspects to confirm, with the samples of their screening; None to measure all cases."""
    rules: Rules = field(default_factory=Rules)
    confirm: bool = True
    """Whether to confirm suspects."""
    aa_share: float = 0.05
    """The share of cases that are also compared base against base, from 0 to 1."""
    seconds: float | None = None
    """The time limit, building included; None for no limit."""
    seed: int = 0
    """The seed of the random order."""

    def screening_of(self, case: CaseIdentity) -> tuple[StageSamples, ...]:
        """Return the earlier screening of *case*; empty if it is screened in this comparison."""
        return next((one.at(Stage.SCREENING) for one in self.only or () if one.identity == case.identity), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSetup:
    """Where and with what to measure."""

    project: str
    """The name of the project's distribution."""
    config: Path
    """The asv configuration."""
    suite_in_repository: str
    """The suite's path in the repository; empty if it lies elsewhere."""
    environments: tuple[str, ...]
    """asv's names of the environments."""
    machine: ComparedMachine
    expectations: Sequence[Expectation]
    supervisor: Supervisor
    folder: Path
    """Keeps environments and lists of benchmarks between comparisons."""
    clock: Callable[[], float]
    """Returns seconds since any fixed time."""
    listen: Listener

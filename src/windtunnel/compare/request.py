"""What is asked of a comparison, where it takes place and what it tells while it runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import CommitReady
from windtunnel.compare.format import ComparedMachine, Rules
from windtunnel.model.measure import CaseIdentity, PairedSamples, Stage, StageSamples
from windtunnel.model.schedule import Process
from windtunnel.model.settings import Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchStarted:
    """So many processes are about to run for *stage*, of so many cases."""

    stage: Stage
    cases: int
    processes: int


Listener = Callable[[BatchStarted | Process | CommitReady], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """What to compare, and how far to go.

    *bench* are regular expressions, all cases when empty. *shard* (which of how many, from 1) takes only its part of
    the benchmarks. *only* are suspects of a screening elsewhere, with its passes: no other case takes part. *alike* is
    the share of cases that the A/A arm has. *seconds* is what it may take, building included; None is no limit.
    """

    base: str
    head: str
    bench: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)
    only: tuple[PairedSamples, ...] | None = None
    rules: Rules = field(default_factory=Rules)
    confirm: bool = True
    aa_share: float = 0.05
    seconds: float | None = None
    seed: int = 0

    def screening_of(self, case: CaseIdentity) -> tuple[StageSamples, ...]:
        """Return the passes that *case* is suspected by, none where it is screened here."""
        suspected = (paired for paired in self.only or () if paired.identity == case.identity)
        return next((paired.at(Stage.SCREENING) for paired in suspected), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSetup:
    """Where a comparison takes place; *clock* gives seconds.

    *config* is the asv configuration and *suite_in_repository* where its suite lies in the repository, "" when
    elsewhere. *folder* keeps environments and what is discovered.
    """

    project: str
    config: Path
    suite_in_repository: str
    environments: tuple[str, ...]
    machine: ComparedMachine
    expectations: Sequence[Expectation]
    supervisor: Supervisor
    folder: Path
    clock: Callable[[], float]
    listen: Listener

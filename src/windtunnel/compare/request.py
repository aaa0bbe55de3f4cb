"""What to compare, where to measure, and the events that report progress."""

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import (
    BuildRefused,
    CaseMapped,
    CaseProfiled,
    Installed,
    InstructionsCounted,
    Place,
    Working,
)
from windtunnel.compare.changed_code import ChangedCode
from windtunnel.compare.format import ComparedMachine, EnvironmentFailure, SelfCheck
from windtunnel.compare.samples_format import PairedSamples, Rules, StageSamples
from windtunnel.compare.touched_functions import TouchedFile
from windtunnel.model.benchmark import CaseIdentity
from windtunnel.model.case_choice import CaseChoice
from windtunnel.model.reach_map import KeptMap, ReachMap
from windtunnel.model.schedule import COMPARISON, Arms, Process
from windtunnel.model.settings import Dependency, Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkStarted:
    """Some cases are about to be measured, counted or profiled."""

    what: str
    """The stage, ``counting instructions`` or ``profiling``."""
    cases: int
    processes: int = 0
    """The processes to run; 0 to count or profile each case on both commits."""


Touched = Mapping[str, TouchedFile] | None
"""The files that the diff changes, by path on head (on base if it is removed); None if that is unknown."""

ComparisonEvent = (
    WorkStarted | Process | InstructionsCounted | CaseProfiled | CaseMapped | Installed | BuildRefused | Working
)
Listener = Callable[[ComparisonEvent], None]
"""Receives each event of a comparison as it happens."""


InstructionsMode = Literal["suspects", "all", "none"]
"""The cases whose instructions are counted: suspects after their confirmation; also every case that computes; none."""


WHOLE = (1, 1, 0)
"""The shard that is everything."""


def divide(benchmarks: Iterable[str], parts: int, division: int) -> Sequence[Sequence[str]]:
    """Return the *benchmarks* of each part, the same in every job.

    *division* 0 has parts of even size. Another one is a choice by digest of each name alone, so a benchmark that only
    one job knows changes nothing for others.
    """
    names, found = sorted(benchmarks), [list[str]() for _ in range(parts)]
    if not division:
        random.Random(0).shuffle(names)  # noqa: S311 - neighbours take similar time
    for number, name in enumerate(names):
        digest = hashlib.sha256(f"{division} {name}".encode()).digest() if division else b""
        found[int.from_bytes(digest, "big") % parts if division else number % parts].append(name)
    return found


class CompareSettings(CaseChoice, frozen=True, kw_only=True):
    """How to compare; each field is an option of ``windtunnel compare``."""

    all: bool = False
    """Measure all cases, also those that run none of the functions that differ between the commits."""
    changed_only: bool = False
    """Leave out the cases that no changed file can affect, by [[tool.windtunnel.depends]]."""
    no_confirm: bool = False
    """Only look for suspects; --only confirms them later."""
    instructions: InstructionsMode = "suspects"
    """Count the instructions of suspects after their confirmation and profile confirmed changes, or of all cases that
    compute, or of none; needs valgrind."""
    aa_share: Annotated[float, Meta(ge=0, le=1, extra={"metavar": "SHARE"})] = 0.05
    """The share of cases that are also compared base against base, to check the error rate of the verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """What to compare, and how long to measure."""

    base: str
    head: str
    options: CompareSettings = field(default_factory=CompareSettings)
    """What the user asked for."""
    changed: tuple[str, ...] | None = None
    """The files that differ, if cases that they cannot affect are left out; None to measure all cases."""
    code: ChangedCode | None = None
    """The code that differs, if cases that run none of it are left out; None to measure all cases."""
    kept: Mapping[str, tuple[KeptMap, ReachMap]] = field(default_factory=dict)
    """By environment, the map that was kept with the results, and what it says of cases for which it holds on head."""
    seen: Mapping[str, int] = field(default_factory=dict)
    """When each benchmark had its last result, if that is known."""
    shard: tuple[int, int, int] = WHOLE
    """Which part of the benchmarks to measure, from 1, the number of parts, and the number of their division."""
    only: tuple[PairedSamples, ...] | None = None
    """All suspects to confirm, of every shard, with the samples of their screening; None to measure all cases."""
    only_aa: tuple[PairedSamples, ...] = ()
    """With *only*, the suspects of the A/A comparison."""
    self_check: SelfCheck | None = None
    """Set to compare a commit with itself, also where both builds are equal."""
    rules: Rules = field(default_factory=Rules)
    packages: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """Packages to set in the environments of base and head: ``name==version``, or ``-name`` for one to remove."""
    seconds: float | None = None
    """The time limit of measuring, which begins when both commits are built; None for no limit."""
    seed: int = 0
    """The seed of the random order."""
    notes: tuple[str, ...] = ()
    """What the report states about the commits."""

    def suspects(self, arms: Arms) -> tuple[PairedSamples, ...] | None:
        """Return all suspects of *arms* to confirm, None to measure all cases."""
        return self.only if arms == COMPARISON or self.only is None else self.only_aa

    def screening_of(self, case: CaseIdentity, arms: Arms) -> tuple[StageSamples, ...]:
        """Return the earlier screening of *case*; empty if it is screened in this comparison."""
        suspects = self.suspects(arms) or ()
        return next((one.at("screening") for one in suspects if one.identity == case.identity), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSetup:
    """Where and with what to measure."""

    project: str
    """The name of the project's distribution."""
    place: Place
    """The suite and the project, the Pythons of the environments, and the builds to install from."""
    interpreters: tuple[Path, ...] = ()
    """The Pythons of base and head that the caller prepared; empty to build both commits."""
    suite_in_repository: str
    """The suite's path in the repository; empty if it lies elsewhere."""
    environments: tuple[str, ...]
    """asv's names of the environments."""
    missing: tuple[EnvironmentFailure, ...] = ()
    """The Pythons that were asked for and are not installed."""
    machine: ComparedMachine
    expectations: Sequence[Expectation]
    dependencies: Sequence[Dependency] = ()
    """What cases depend on."""
    supervisor: Supervisor
    folder: Path
    """Keeps environments and lists of benchmarks between comparisons."""
    clock: Callable[[], float]
    """Returns seconds since any fixed time."""
    listen: Listener
    find_code: Callable[[str], ChangedCode | None] = lambda _: None
    """Returns the code of a commit that differs on head; None if that is unknown."""
    find_touched: Callable[[], Touched] = lambda: None
    """Returns what the diff changes; called at most once, and only if a change is profiled."""

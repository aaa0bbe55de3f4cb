"""The processes of a comparison: which one runs when, what it measured, and what is known beside times."""

from enum import StrEnum
from typing import Final, Literal, get_args

from msgspec import Struct

from windtunnel.model.benchmark import Case
from windtunnel.model.run_format import CaseState

Stage = Literal["screening", "confirmation"]
"""Why a process runs: to find suspects, or to confirm them on fresh data."""

STAGES: Final[tuple[Stage, ...]] = get_args(Stage)


ComparedCommit = Literal["base", "head"]
"""The commit whose code a process runs."""

COMPARED_COMMITS: Final[tuple[ComparedCommit, ...]] = get_args(ComparedCommit)


class Arm(StrEnum):
    """The group of processes that a process belongs to."""

    BASE = "base"
    HEAD = "head"
    AA_BASELINE = "aa_baseline"
    """The first of the two groups of the A/A comparison, which run the same code."""
    AA_CONTENDER = "aa_contender"
    """The second one."""

    @property
    def commit(self) -> ComparedCommit:
        """The commit that processes of this arm run."""
        return "head" if self is Arm.HEAD else "base"


Arms = tuple[Arm, Arm]
"""The two arms of a comparison, baseline first."""

COMPARISON: Arms = (Arm.BASE, Arm.HEAD)
AA: Arms = (Arm.AA_BASELINE, Arm.AA_CONTENDER)


class ScheduledProcess(Struct, frozen=True, kw_only=True):
    """One process to run."""

    arm: Arm
    stage: Stage
    benchmark: str
    """asv's name of the benchmark."""
    case: Case
    """The case, with its place in head's suite."""
    base_index: int | None = None
    """Its place with base's project; null if it is the same."""
    forks: int = 1
    """How often the parent is forked, if there is one: the samples of all forks belong to this process."""

    @property
    def index(self) -> int:
        """The place of the case in the suite, with the project of the commit that runs."""
        if self.base_index is not None and self.arm.commit == "base":
            return self.base_index
        return self.case.index


class Process(Struct, frozen=True, kw_only=True, tag=True):
    """One process that has ended."""

    scheduled: ScheduledProcess
    state: CaseState
    value: float | None
    """The value of a benchmark that has no samples, in its unit."""
    wall: tuple[float, ...]
    """Wall time of each sample, in seconds per call."""
    cpu: tuple[float, ...]
    """CPU time of each sample, in seconds per call; empty where the platform does not provide it."""
    queued: tuple[float, ...] = ()
    """Time of each sample in which other programs had the processor, in seconds per call; empty where it is unknown."""
    own: tuple[float, ...] = ()
    """Wall time of each sample before a built-in slowdown, in seconds per call; empty without one."""
    probe: tuple[float, ...] = ()
    """CPU time of one and the same loop beside each sample, in seconds; empty where it is unknown."""
    forks: tuple[int, ...] = ()
    """The number of samples of each fork; empty without samples."""
    seconds: float
    """How long the whole process took."""
    starting: float = 0.0
    """The part of it in which a parent started and imported the suite, for this process and others."""
    timed: float = 0.0
    """The part of it in which the benchmark ran on asv's clock: warm-up and samples."""
    sampled: float = 0.0
    """The part of it that the samples took."""
    reason: str = ""
    """Why the value is missing; else empty."""


DEFAULT_SEEDS = (1, 2, 3, 4, 5)
"""Hash seeds with which each case is counted; the counts of the same code differ from seed to seed."""


class CountedCase(Struct, frozen=True, kw_only=True):
    """A case with the project of one commit."""

    commit: ComparedCommit
    """The commit whose project runs."""
    benchmark: str
    """asv's name of the benchmark."""
    index: int
    """The place of the case in the suite, with the project of this commit."""


class InstructionCounts(Struct, frozen=True, kw_only=True):
    """Instructions of one case on one commit: of the threads of its process, not of the system."""

    per_call: tuple[float, ...] = ()
    """Instructions per call, one for each hash seed, in the order of the seeds; empty if they were not counted."""
    calls: int = 0
    """Calls that each count is a mean of; 0 if they were not counted."""
    other_threads: bool = False
    """Whether the case ran threads or processes: their work depends on the scheduler, or is not counted."""
    reason: str = ""
    """Why counts are missing; empty if they are not."""


class FunctionCost(Struct, frozen=True, kw_only=True):
    """A function in the profile of one case on one commit."""

    name: str
    """Its qualified name."""
    file: str
    """Its file, relative to the root of the project or of the suite where it lies there."""
    line: int
    """The line of its definition; 0 if it has none."""
    calls: float
    """Calls of it per call of the benchmark."""
    instructions: float | None = None
    """Its own instructions per call of the benchmark, without those of what it calls; null if unknown."""
    seconds: float | None = None
    """Its own time per call of the benchmark; null where instructions are known."""
    is_c: bool = False
    """Whether it is written in C."""


class StackCost(Struct, frozen=True, kw_only=True):
    """A stack of functions, and what it costs."""

    frames: tuple[int, ...]
    """Indices of functions of the profile, outermost first."""
    weight: float
    """Own instructions, or seconds, of the innermost function in this stack."""
    calls: float = 0.0
    """Calls and resumptions of the innermost function in this stack, per call of the benchmark."""


class CaseProfile(Struct, frozen=True, kw_only=True):
    """Where one case spends its work on one commit."""

    functions: tuple[FunctionCost, ...] = ()
    """The functions that ran."""
    stacks: tuple[StackCost, ...] = ()
    """The stacks in which they ran."""
    reason: str = ""
    """Why the profile is missing; empty if it is not."""

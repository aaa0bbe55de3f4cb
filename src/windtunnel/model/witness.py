"""What a comparison knows of a case beside its times: counts of instructions, and where the case spends its work."""

from msgspec import Struct

from windtunnel.model.schedule import ComparedCommit

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

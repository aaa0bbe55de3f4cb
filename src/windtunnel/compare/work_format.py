"""The part of verdict.json on instructions: what was counted of a case, and what the counts show."""

from enum import StrEnum

from msgspec import Struct

from windtunnel.model.result import Interval
from windtunnel.model.witness import InstructionCounts

MAX_SEEDS = 64
"""Hash seeds that a case can have counts of; a file with more is refused."""


class WorkSamples(Struct, frozen=True, kw_only=True):
    """The instructions of a case on both commits."""

    base: InstructionCounts
    head: InstructionCounts

    @property
    def counted(self) -> bool:
        """Whether both commits have counts."""
        return bool(self.base.per_call and self.head.per_call)


class WorkChange(StrEnum):
    """Whether the code of a case does more work, by its instructions."""

    MORE = "more"
    LESS = "less"
    SAME = "same"
    """The difference is at most 0.1 %, which another memory layout alone can cause."""
    UNKNOWN = "unknown"


class InstructionChange(Struct, frozen=True, kw_only=True):
    """What counts of instructions show of a case; the verdict on time does not depend on it."""

    base: float | None = None
    """Instructions per call on base, the geometric mean over the hash seeds; null if they were not counted."""
    head: float | None = None
    """Instructions per call on head."""
    relative_change: float | None = None
    """head / base - 1."""
    interval: Interval | None = None
    """The 99 % confidence interval of the relative change, from its spread over the hash seeds."""
    work: WorkChange
    regressed: bool = False
    """Whether head executes more instructions than ``instructions_threshold`` allows."""
    reason: str = ""
    """Why the change is unknown; empty if it is known."""

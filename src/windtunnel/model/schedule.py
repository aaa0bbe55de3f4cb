"""Turns of an interleaved comparison: which process runs when, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.model.benchmark import Case
from windtunnel.model.measure import Stage
from windtunnel.model.run_format import State


class Commit(StrEnum):
    """Whose code a process runs."""

    BASE = "base"
    HEAD = "head"


class Seat(StrEnum):
    """What a process is measured for: a side of the comparison, or a side of the A/A arm, both of which run base."""

    BASE = "base"
    HEAD = "head"
    ALIKE = "alike"
    ALIKE_TOO = "alike too"

    @property
    def commit(self) -> Commit:
        """Whose code sits here."""
        return Commit.HEAD if self is Seat.HEAD else Commit.BASE


COMPARISON = (Seat.BASE, Seat.HEAD)
ALIKE = (Seat.ALIKE, Seat.ALIKE_TOO)
"""The seats of one round, baseline first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One process to run."""

    seat: Seat
    stage: Stage
    benchmark: str
    case: Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process that has ended.

    *wall* and *cpu* are seconds a call, an entry a sample; *cpu* is empty where nobody could take it. *value* stands
    for a benchmark that has no samples. *seconds* is how long the process took in all, *reason* why it has no value.
    """

    turn: Turn
    state: State
    value: float | None
    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    seconds: float
    reason: str = ""

"""Turns of an interleaved comparison: which process runs when, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from msgspec import Struct

from windtunnel.model.benchmark import Case
from windtunnel.model.measure import Stage
from windtunnel.model.run_format import CaseState


class ComparedCommit(StrEnum):
    """Whose code a process runs."""

    BASE = "base"
    HEAD = "head"


class Arm(StrEnum):
    """What a process is measured for: a side of the comparison, or a side of the A/A arm, both of which run base."""

    BASE = "base"
    HEAD = "head"
    AA_BASELINE = "aa_baseline"
    AA_CONTENDER = "aa_contender"

    @property
    def commit(self) -> ComparedCommit:
        """Whose code sits here."""
        return ComparedCommit.HEAD if self is Arm.HEAD else ComparedCommit.BASE


COMPARISON = (Arm.BASE, Arm.HEAD)
AA = (Arm.AA_BASELINE, Arm.AA_CONTENDER)
"""The seats of one round, baseline first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledProcess:
    """One process to run."""

    arm: Arm
    stage: Stage
    benchmark: str
    case: Case


class Process(Struct, frozen=True, kw_only=True):
    """One process that has ended.

    *wall* and *cpu* are seconds a call, an entry a sample; *cpu* is empty where nobody could take it. *value* stands
    for a benchmark that has no samples. *seconds* is how long the process took in all, *reason* why it has no value.
    """

    scheduled: ScheduledProcess
    state: CaseState
    value: float | None
    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    seconds: float
    reason: str = ""

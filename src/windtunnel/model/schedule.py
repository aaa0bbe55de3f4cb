"""The processes of an interleaved comparison: which one runs when, and what it measured."""

from enum import StrEnum

from msgspec import Struct

from windtunnel.model.benchmark import Case
from windtunnel.model.run_format import CaseState


class Stage(StrEnum):
    """Why a process runs."""

    SCREENING = "screening"
    """To find suspects."""
    CONFIRMATION = "confirmation"
    """To confirm suspects on fresh data."""


class ComparedCommit(StrEnum):
    """The commit whose code a process runs."""

    BASE = "base"
    HEAD = "head"


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
        return ComparedCommit.HEAD if self is Arm.HEAD else ComparedCommit.BASE


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

    @property
    def index(self) -> int:
        """The place of the case in the suite, with the project of the commit that runs."""
        if self.base_index is not None and self.arm.commit is ComparedCommit.BASE:
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
    own: tuple[float, ...] = ()
    """Wall time of each sample before a built-in slowdown, in seconds per call; empty without one."""
    seconds: float
    """How long the whole process took."""
    reason: str = ""
    """Why the value is missing; else empty."""

"""changes.json: the types of the file (docs/changes-format.md)."""

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.formats import Format
from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    MachineName,
    Parameters,
)
from windtunnel.model.result import Interval

SCHEMA = "windtunnel.changes/1"
"""Changes when a reader of the old form would misread the new one."""


class Direction(StrEnum):
    """What a change means, by the benchmark's own sense of better."""

    REGRESSED = "regressed"
    IMPROVED = "improved"


class Magnitude(StrEnum):
    """How large a relevant change is: less than 5 %, 20 %, a factor of 2, or more."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    HUGE = "huge"


class ChangeKind(StrEnum):
    """How the level changed: between two runs, or in many steps too small to be told apart."""

    STEP = "step"
    CREEP = "creep"


class ChangeStatus(StrEnum):
    """What became of the new level: it holds, another replaced it, the old one came back, or it is gone.

    Gone is a case that today's suite no longer has: its benchmark was removed, or is another version of itself.
    """

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RECOVERED = "recovered"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateCommits:
    """Where a change lies: after *previous_commit*, most likely at *commit*; *candidates* cannot be told from it.

    Candidates are oldest first, at most 200, of *candidate_count*; *date* is that of *commit*, in UTC (ISO 8601).
    """

    commit: CommitHash
    previous_commit: CommitHash
    candidates: tuple[CommitHash, ...]
    candidate_count: int
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCase:
    """One case of a benchmark, on one machine and environment; *params* are raw, as asv keeps them."""

    benchmark: BenchmarkName
    params: Parameters
    environment: EnvironmentName
    machine: MachineName
    version: BenchmarkVersion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(CandidateCommits):
    """One case's change of level. Levels are in the benchmark's *unit*, relative changes are after / before - 1.

    *relative_change* and *interval* (95 %) are None where *before* is not above zero. *confidence* is the least
    probability that noise is not the cause. *id* stays as long as case and commit do.
    """

    id: str
    event: str
    kind: ChangeKind
    benchmark: BenchmarkName
    params: Parameters
    environment: EnvironmentName
    machine: MachineName
    version: BenchmarkVersion | None
    unit: str | None
    before: float
    after: float
    relative_change: float | None
    interval: Interval | None
    confidence: float
    direction: Direction
    magnitude: Magnitude
    status: ChangeStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotWindow:
    """How *case* went around a change: *values* in the order of commits, *split* of them before it, and both levels.

    At most 40 values, of four digits, in *unit*. Without a case: the middle one of all, where 1 is the level before.
    """

    case: MeasuredCase | None
    kind: ChangeKind
    unit: str | None
    values: tuple[float, ...]
    split: int
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEvent(CandidateCommits):
    """Changes with one cause, by their ids; the largest relative change speaks for them.

    *course* is that of the case which became worst, None where none became worse.
    """

    id: str
    members: tuple[str, ...]
    regressed: int
    improved: int
    largest: float | None
    course: PlotWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineShift(CandidateCommits):
    """Nearly all cases of a machine moved alike: other hardware, another interpreter, or a change to everything.

    *relative_change* is that of the middle case; *cases* of *total* lie near it, *members* were absorbed.
    """

    id: str
    machine: MachineName
    environments: tuple[EnvironmentName, ...]
    relative_change: float
    interval: Interval
    direction: Direction
    cases: int
    total: int
    members: tuple[MeasuredCase, ...]
    course: PlotWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedSeries(MeasuredCase):
    """A series, or what is left of it, that nothing is said about, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedChanges:
    """Everything that ``windtunnel detect`` found; *series* were looked at, *commits* had results.

    *newest_result* is when the newest of them was begun, in milliseconds since 1970; 0 where no result says so.
    """

    schema: str
    series: int
    commits: int
    changes: tuple[Change, ...]
    events: tuple[ChangeEvent, ...]
    common_mode: tuple[MachineShift, ...]
    skipped: tuple[SkippedSeries, ...]
    notes: tuple[str, ...]
    newest_result: int = 0


CHANGES_FORMAT = Format(
    name="changes.json", type=DetectedChanges, schema=SCHEMA, remedy="write it again with windtunnel detect"
)

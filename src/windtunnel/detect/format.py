"""The types of changes.json, which ``windtunnel detect`` writes; docs/how-to/alerts.md explains the file."""

import math
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from windtunnel.formats import Format
from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    MachineName,
    Parameters,
)
from windtunnel.model.run import Interval, LevelShares

SCHEMA = "windtunnel.changes/2"
"""The version of the format; it changes when a reader of the old form would misread the new one."""
COMMIT_DIGITS = 12
"""Digits of a commit in a chart."""

Count = Annotated[int, Meta(ge=0)]
T = TypeVar("T", bound=msgspec.Struct)


Direction = Literal["regressed", "improved"]
"""Whether a change is worse or better, by the benchmark's own definition of better."""
ChangeKind = Literal["step", "creep", "share"]
"""How the level changed.

A *step* is between two runs, and a *creep* has many steps that are too small to detect one by one. A *share* is of a
series that flips between two levels: it is on one of them more often than before.
"""
ChangeStatus = Literal["current", "superseded", "recovered", "removed"]
"""Whether the new level still holds, was replaced by another, or returned to the old one.

A change is *removed* when today's suite no longer has the benchmark, or has another version of it.
"""
OVER = frozenset({"recovered", "removed"})
"""Statuses of changes whose level is back, or that nothing shows any more."""
MAX_MOVED = 20
"""Packages of an event that are listed; their count is complete."""
MAX_CANDIDATES = 200
"""Commits that are listed; their count is complete."""


class ChangeCommits(msgspec.Struct, frozen=True, kw_only=True):
    """The commits of a change, without a list of its candidates."""

    commit: CommitHash
    """The most likely commit: the first one with the new level."""
    previous_commit: CommitHash
    """The last measured commit before the change; for a creep, the release that it is compared with."""
    candidate_count: Count
    """How many commits may have caused the change."""
    date: str
    """The author date of *commit* in UTC (ISO 8601); empty where git has no valid date."""


class MovedBuild(msgspec.Struct, frozen=True, kw_only=True):
    """What moved in the environments between the runs before and at a change, besides the project."""

    python: str = ""
    """How the Python moved, such as Python 3.14.4 → 3.14.5; empty if it did not."""
    packages: tuple[str, ...] = ()
    """How each package moved, such as aiohttp 3.13.1 → 3.14.0; at most 20, by name."""
    count: Count = 0
    """How many packages moved."""


class CandidateCommits(ChangeCommits, frozen=True, kw_only=True):
    """The commits at which a change may lie."""

    candidates: tuple[CommitHash, ...]
    """All commits that may have caused the change, oldest first; at most the 200 newest."""
    moved: MovedBuild = MovedBuild()
    """What moved in all environments of the change; empty where nothing did, and without run records."""


class MeasuredCase(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a benchmark, measured in one environment on one machine."""

    benchmark: BenchmarkName
    """The benchmark's name."""
    params: Parameters
    """The parameters' values, unchanged from asv."""
    environment: EnvironmentName
    """The environment."""
    machine: MachineName
    """The machine."""
    version: BenchmarkVersion | None
    """The benchmark's version; null where the results have none."""


class Change(ChangeCommits, frozen=True, kw_only=True):
    """One change of level of one case."""

    first_candidate: Count
    """The index in *candidates* of the file of the oldest candidate that is listed; the others follow it there."""
    id: str
    """12 hexadecimal digits; the same as long as the case and the commit are the same."""
    event: str
    """The id of the event that the change belongs to."""
    kind: ChangeKind
    """A step, a creep, or a change of shares."""
    benchmark: BenchmarkName
    """The benchmark's name."""
    params: Parameters
    """The parameters' values, unchanged from asv."""
    environment: EnvironmentName
    """The environment."""
    machine: MachineName
    """The machine."""
    version: BenchmarkVersion | None
    """The benchmark's version; null where the results have none."""
    unit: str | None
    """The benchmark's unit; null when benchmarks.json no longer has the benchmark."""
    before: float
    """The level before the change, in the benchmark's unit."""
    after: float
    """The level after the change, in the benchmark's unit."""
    relative_change: float | None
    """after / before - 1; null where *before* is not above zero."""
    interval: Interval | None
    """The 95 % confidence interval of the relative change; null where that is null."""
    confidence: Annotated[float, Meta(ge=0, le=1)]
    """A lower bound of the probability that the change is not noise, over all positions of the series."""
    direction: Direction
    """Worse or better."""
    status: ChangeStatus
    """Whether the new level still holds."""
    shares: LevelShares | None = None
    """The levels and their shares where *kind* is share; *before* and *after* are means then."""
    python: str = ""
    """The Python of the environment, as asv names it; empty where it is not known."""


class ChartLevel(msgspec.Struct, frozen=True, kw_only=True):
    """A level of a series, up to the next one."""

    start: Count
    """The index of its first value."""
    value: float
    """The level, in the benchmark's unit."""


class EventChart(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one case around its change."""

    change: str
    """The id of the change."""
    commits: tuple[str, ...]
    """The first 12 digits of the commits of the values, oldest first; at most 60."""
    values: tuple[float, ...]
    """The values as measured, in the benchmark's unit, rounded to four digits."""
    corrected: tuple[float, ...] = ()
    """The values without what the machine did to all times of a run; empty where nothing is taken out."""
    levels: tuple[ChartLevel, ...]
    """The levels of the corrected values, oldest first."""
    change_index: Count
    """The index of the first value after the change."""


class ChangeEvent(CandidateCommits, frozen=True, kw_only=True):
    """Changes with one cause."""

    id: str
    """12 hexadecimal digits."""
    members: tuple[str, ...]
    """The ids of the changes."""
    regressed: Count
    """How many of the changes are worse."""
    improved: Count
    """How many of the changes are better."""
    largest_change: float | None
    """The relative change of the lead case, the one with the largest factor; null where no change has one."""
    lead: str = ""
    """The id of the change with the largest factor, upwards or downwards."""
    cases: Count = 0
    """How many cases changed; one that changed on several Pythons or machines counts once."""
    part: str = ""
    """The part of the suite that all changes belong to, such as a module or a class; empty without a common one."""
    pythons: tuple[str, ...] = ()
    """The Pythons of the changes, oldest first."""
    charts: tuple[EventChart, ...] = ()
    """The values of the lead case, and of the largest regression if that is another case; empty in older files."""


class MachineShift(CandidateCommits, frozen=True, kw_only=True):
    """Nearly all times on a machine changed by the same factor: hardware, interpreter, or a change to everything."""

    id: str
    """12 hexadecimal digits."""
    machine: MachineName
    """The machine."""
    environments: tuple[EnvironmentName, ...]
    """The environments in which the shift was seen."""
    relative_change: float
    """The relative change of the median case."""
    interval: Interval
    """The 95 % confidence interval of the relative change."""
    direction: Direction
    """Worse or better."""
    shifted_cases: Count
    """How many cases changed by nearly the same factor."""
    total_cases: Count
    """How many cases were measured before and after."""
    explained_cases: tuple[MeasuredCase, ...]
    """The cases whose own change the shift explains; these changes are not listed."""


class SkippedSeries(MeasuredCase, frozen=True, kw_only=True):
    """A series, or a part of it, that was not examined."""

    reason: str
    """Why it was skipped."""


class VersionStart(msgspec.Struct, frozen=True, kw_only=True):
    """Where the present version of a benchmark follows another one."""

    benchmark: BenchmarkName
    """The benchmark's name."""
    commit: CommitHash
    """The first commit that was measured with the present version."""


class DetectedChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that ``windtunnel detect`` found."""

    schema: str
    """The version of the format: windtunnel.changes/2."""
    series: Count
    """How many series there are; *too_short* of them were not examined."""
    commits: Count
    """How many commits of the branch have results."""
    changes: tuple[Change, ...]
    """The changes, in the order of the branch."""
    events: tuple[ChangeEvent, ...]
    """The changes grouped by cause; each change belongs to one event."""
    candidates: tuple[CommitHash, ...]
    """The candidate commits of all changes, each once, in the order of the branch."""
    machine_shifts: tuple[MachineShift, ...]
    """Shifts of whole machines."""
    skipped: tuple[SkippedSeries, ...]
    """What was not examined, and why."""
    notes: tuple[str, ...]
    """Remarks for the reader, such as commits that are not on the branch."""
    newest_result: int = 0
    """When the newest result was started, in milliseconds since 1970; 0 where no result states it."""
    newest_commit: str = ""
    """The newest commit of the branch, measured or not."""
    too_short: Count = 0
    """How many of the series have too few values to be examined."""
    advice: str = ""
    """What makes them long enough; empty where there is nothing to do, or few series are too short."""
    versions: tuple[VersionStart, ...] = ()
    """Benchmarks that had another version before, by name."""


def location_of(change: Change, found: DetectedChanges) -> CandidateCommits:
    """Return the commits at which *change* of *found* may lie."""
    end = change.first_candidate + min(change.candidate_count, MAX_CANDIDATES)
    return part_of(change, CandidateCommits, candidates=found.candidates[change.first_candidate : end])


def factor_size(relative_change: float | None) -> float:
    """Return the size of a change, the same for a factor and its inverse; infinite for a change from or to zero."""
    if relative_change is None or relative_change <= -1:
        return math.inf
    return abs(math.log1p(relative_change))


def part_of(value: msgspec.Struct, cls: type[T], **fields: Any) -> T:
    """Return a *cls* with *fields*, and with the fields of *value* for all others that *value* has."""
    own = {name: getattr(value, name) for name in cls.__struct_fields__ if hasattr(value, name)}
    return cls(**{**own, **fields})


CHANGES_FORMAT = Format(
    name="changes.json",
    type=DetectedChanges,
    schema=SCHEMA,
    remedy="write it again with windtunnel detect",
    indented=False,
)

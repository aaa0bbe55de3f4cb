"""The file that every page begins with: what the site is of, how healthy the measuring is, what changed lately."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from windtunnel.publish.format.words import CommitIndex, CommitLine, File, Index, Limits, PlaceIndex, Project, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePlace:
    """An environment on a machine; *commit* is the newest one measured there, the counts are of its cases."""

    name: Annotated[str, Meta(description="unique in this file")]
    python: Text
    machine: Text
    environment: Text
    commit: CommitIndex
    measured: Index
    failed: Index
    runs: Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A tag on a commit with results."""

    name: Text
    commit: CommitIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineData:
    """A machine and what its machine.json says of it, as pairs of name and value."""

    name: Text
    details: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What to think of the data: *series* in all, of which *stale* were not measured on the newest commit there.

    *alarm_rate* is the share of *comparisons* of a commit with itself that found a change: the A/A arms of the verdicts
    that were handed in; null without one. *taken_back* counts the series that raised an alarm which newer results took
    back, from 30 days before the newest commit on; null without alerts.
    """

    series: Index
    stale: Index
    failing: Index
    newest: Annotated[int | None, Meta(description="date of the newest commit with results, seconds since 1970")]
    alarm_rate: Annotated[float, Meta(ge=0, le=1)] | None
    comparisons: Index
    taken_back: Index | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentChange:
    """An event of changes.json, told by its largest member.

    *spark* is the newest values as in BenchmarksData, here with their limits: all three heights are between the lowest
    and the highest of them. *marks* are the places in *spark* at which a new level begins, of this event or another.
    """

    event: Text
    commit: Text
    subject: Text | None
    date: Text
    benchmark: Text
    params: tuple[Text, ...]
    place: PlaceIndex | None
    members: Index
    regressed: Index
    relative_change: float | None
    interval: Annotated[Limits | None, Meta(description="of the relative change, 95 %")]
    status: Text
    spark: Text
    spark_low: Text
    spark_high: Text
    marks: tuple[Index, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Where the rest is; null is not published. Where names end in .gz the content is compressed (gzip)."""

    commits: tuple[File, ...]
    benchmarks: File
    runs: File
    changes: File | None
    claims: File | None
    alerts: File | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteData:
    """What every page needs first."""

    schema: Literal["windtunnel.site/1"]
    project: Project
    commit_url: Annotated[str | None, Meta(description="what stands before a hash in a commit's address")]
    confidence: Annotated[float, Meta(description="of the intervals in histories")]
    commits: Index
    benchmarks: Index
    scenarios: Annotated[int, Meta(ge=0, description="how many overview.json has")]
    newest: Annotated[CommitLine | None, Meta(description="newest commit with results")]
    places: tuple[SitePlace, ...]
    releases: tuple[Release, ...]
    machines: tuple[MachineData, ...]
    health: Health
    recent: tuple[RecentChange, ...]
    files: Files
    notes: tuple[Text, ...]

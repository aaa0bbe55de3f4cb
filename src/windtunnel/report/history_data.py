"""The files that pages draw histories from (docs/site-data.md): their shapes, which are the contract with readers.

``docs/site-data.schema.json`` is made from these classes. A change that breaks readers raises the number in the file's
``schema``. Commits, benchmarks and places are meant by their index.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from windtunnel.report.site_data import CommitLine, Limits, Project, Text

Index = Annotated[int, Meta(ge=0)]
CommitIndex = Annotated[int, Meta(ge=0, description="index of a commit, oldest first")]
PlaceIndex = Annotated[int, Meta(ge=0, description="index into the places of site.json")]
Steps = Annotated[
    tuple[int | None, ...],
    Meta(description="the first value, then differences between neighbours; null is a gap and is passed over"),
]
Widths = Annotated[tuple[int | None, ...], Meta(description="distances from the value, in the same steps; null: none")]
File = Annotated[str, Meta(description="path of a file from the top of the site")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesData:
    """One case at one place over commits. Values are steps / 10 ** digits, in the benchmark's unit.

    *commits* are coded as *values* are. The interval of a value reaches from value - below to value + above.
    """

    place: PlaceIndex
    params: tuple[Text, ...]
    digits: int
    commits: Annotated[tuple[int, ...], Meta(description="the first index, then differences between neighbours")]
    values: Steps
    below: Widths
    above: Widths


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkData:
    """One benchmark: every case at every place, of the benchmark's present version."""

    schema: Literal["windtunnel.benchmark/1"]
    name: Text
    unit: Text
    kind: Text
    version: Text | None
    params: Annotated[tuple[Text, ...], Meta(description="names of the parameters")]
    code: Text
    confidence: Annotated[float, Meta(description="of the intervals")]
    series: tuple[SeriesData, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSeries(SeriesData):
    """A series of one of many benchmarks."""

    benchmark: Annotated[int, Meta(ge=0, description="index into the lists of benchmarks.json")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBlock:
    """Everything measured at one place on a few neighbouring commits: what two commits are compared from."""

    schema: Literal["windtunnel.runs-block/1"]
    place: PlaceIndex
    series: tuple[BlockSeries, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsData:
    """Which commits were measured where, newest first; columns. *file* is an index into *files*."""

    schema: Literal["windtunnel.runs/1"]
    commit: tuple[CommitIndex, ...]
    place: tuple[PlaceIndex, ...]
    file: tuple[Index, ...]
    files: tuple[File, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitsData:
    """Commits with results, oldest first; columns. *first* is the index of the first one in this file.

    Subject and date (author's, seconds since 1970) are null where the publishing clone does not have the commit;
    *revision* counts along the branch and is null for commits on no branch shown.
    """

    schema: Literal["windtunnel.commits/1"]
    first: CommitIndex
    hash: tuple[Text, ...]
    subject: tuple[Text | None, ...]
    author: tuple[Text | None, ...]
    date: tuple[int | None, ...]
    revision: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarksData:
    """All benchmarks, by name; columns. *unit* is an index into *units*.

    *last* with its interval (low, high) is the newest value of the case *case* at the place *place*, *trend* its
    relative change over what *spark* shows: one character a commit, 0-9a-z from its lowest to its highest value, a dot
    is a gap. *measured* of *cases* had a value when the benchmark was last tried at that place. *stale* counts the
    commits measured there since.
    """

    schema: Literal["windtunnel.benchmarks/1"]
    units: tuple[Text, ...]
    name: tuple[Text, ...]
    file: tuple[File, ...]
    unit: tuple[Index, ...]
    params: tuple[tuple[Text, ...], ...]
    cases: tuple[Index, ...]
    measured: tuple[Index, ...]
    place: tuple[PlaceIndex, ...]
    case: tuple[tuple[Text, ...], ...]
    last: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    trend: tuple[float | None, ...]
    spark: tuple[str, ...]
    stale: tuple[Index, ...]


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


FILES = (SiteData, CommitsData, BenchmarksData, BenchmarkData, RunsData, RunBlock)
"""What a file may hold; its field *schema* says which."""


def schema() -> bytes:
    """Return the JSON Schema of all files of data: each file is one of them."""
    found, definitions = msgspec.json.schema_components(FILES, ref_template="#/$defs/{name}")
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Data of a Windtunnel site",
        "anyOf": list(found),
        "$defs": definitions,
    }
    return msgspec.json.format(msgspec.json.encode(made, order="deterministic"), indent=2) + b"\n"

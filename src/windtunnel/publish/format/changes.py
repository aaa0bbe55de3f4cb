"""The changes of a site in parts: a head, events in blocks, benchmarks in groups; a page loads what it shows."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from windtunnel.detect.alert_format import Alert
from windtunnel.detect.format import Change, ChangeEvent, ChartLevel, MachineShift

Count = Annotated[int, Meta(ge=0)]
MarkKind = Literal["release", "event", "machine", "python", "package", "version"]
"""What changed at a commit, besides the code of the project."""


class ChangesData(msgspec.Struct, frozen=True, kw_only=True):
    """What the page of changes begins with."""

    schema: Literal["windtunnel.site-changes/1"]
    """The format of the file."""
    series: Count
    """How many series there are; *too_short* of them were not examined."""
    commits: Count
    """How many commits of the branch have results."""
    too_short: Count
    """How many of the series have too few values to be examined."""
    advice: str
    """What makes them long enough; empty where there is nothing to do."""
    notes: tuple[str, ...]
    """Remarks for the reader."""
    event_count: Count
    """How many events there are."""
    regressed: Count = 0
    """How many of them have regressions alone."""
    improved: Count = 0
    """How many of them have improvements alone."""
    blocks: tuple[str, ...]
    """The paths of the files of events, the newest events first."""
    machine_shifts: tuple[MachineShift, ...]
    """Shifts of whole machines, without candidates, cases and values."""


class ShownEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event with its largest changes."""

    event: ChangeEvent
    """The event, without candidates, members and values."""
    members: tuple[Change, ...]
    """Its changes, the largest first; at most 100."""
    member_count: Count
    """How many changes it has."""
    file: str | None
    """The path of the file with all of them; null where *members* has all."""


class EventsData(msgspec.Struct, frozen=True, kw_only=True):
    """A block of events."""

    schema: Literal["windtunnel.site-events/1"]
    """The format of the file."""
    events: tuple[ShownEvent, ...]
    """The events, newest first."""


class EventMembers(msgspec.Struct, frozen=True, kw_only=True):
    """All changes of one event."""

    schema: Literal["windtunnel.site-event/1"]
    """The format of the file."""
    members: tuple[Change, ...]
    """Its changes, the largest first."""


class ShownAlert(Alert, frozen=True, kw_only=True):
    """An alert with three of its cases, of different benchmarks; without candidates and values."""

    benchmark_count: Count
    """How many benchmarks its cases are of."""


class AlertsData(msgspec.Struct, frozen=True, kw_only=True):
    """The alerts with their states."""

    schema: Literal["windtunnel.site-alerts/1"]
    """The format of the file."""
    alerts: tuple[ShownAlert, ...]
    """The alerts, oldest first."""


class ChangesOfBenchmarks(msgspec.Struct, frozen=True, kw_only=True):
    """The changes and alerts of some benchmarks that follow one another in the list."""

    schema: Literal["windtunnel.site-benchmark-changes/1"]
    """The format of the file."""
    changes: tuple[Change, ...]
    """The changes, in the order of the branch."""
    alerts: tuple[ShownAlert, ...]
    """The alerts with cases of these benchmarks, oldest first; of each, the cases of these benchmarks, one of each."""


class RunMark(msgspec.Struct, frozen=True, kw_only=True):
    """Something that changed at a commit, besides the code of the project."""

    commit: Count
    """The first commit with the change."""
    kind: MarkKind
    """A release, a noted event, a shift of a machine, another Python, other packages, or another benchmark version."""
    label: str
    """What changed, in words."""
    targets: tuple[Count, ...] = ()
    """The targets where it changed; empty for all."""
    benchmark: str = ""
    """The benchmark that changed; empty for all."""
    url: str = ""
    """A page that explains it; empty without one."""


class MarksData(msgspec.Struct, frozen=True, kw_only=True):
    """data/marks.json.gz: what changed at the commits of histories, besides the code of the project."""

    schema: Literal["windtunnel.marks/1"]
    """The format of the file."""
    marks: tuple[RunMark, ...]
    """The marks, oldest first; without releases, which are in site.json."""


class ChartMark(msgspec.Struct, frozen=True, kw_only=True):
    """A mark of a chart."""

    at: Count
    """The index of the first value with the change."""
    kind: MarkKind
    """What changed."""
    label: str
    """What changed, in words."""


class ChartData(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one case around its change."""

    change: str
    """The id of the change in changes.json."""
    commits: tuple[Count, ...]
    """The commits of the values, oldest first."""
    dates: tuple[int, int]
    """The dates of the first and the last of them, in seconds since 1970."""
    values: tuple[float, ...]
    """The values as measured, in the benchmark's unit."""
    corrected: tuple[float, ...]
    """The values without what the machine did to all times of a run; empty where nothing is taken out."""
    levels: tuple[ChartLevel, ...]
    """The levels of the corrected values, oldest first."""
    change_index: Count
    """The index of the first value after the change."""
    marks: tuple[ChartMark, ...]
    """What else changed here, oldest first."""


class EventCharts(msgspec.Struct, frozen=True, kw_only=True):
    """data/charts/X.json.gz: the charts of the events whose id begins with the digit X."""

    schema: Literal["windtunnel.charts/1"]
    """The format of the file."""
    events: dict[str, tuple[ChartData, ...]]
    """For each event the chart of its lead case, and of its largest regression if that is another case."""

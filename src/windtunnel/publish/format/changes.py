"""The changes of a site in parts: a head, events in blocks, benchmarks in groups; a page loads what it shows."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from windtunnel.detect.alert_format import Alert
from windtunnel.detect.format import Change, ChangeEvent, MachineShift

Count = Annotated[int, Meta(ge=0)]


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

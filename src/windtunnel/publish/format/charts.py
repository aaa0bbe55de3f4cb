"""Charts of events, and what else changed at the commits of a history: packages, machines, releases."""

from enum import StrEnum
from typing import Literal

import msgspec

from windtunnel.detect.format import ChartLevel
from windtunnel.publish.format.front import Index


class MarkKind(StrEnum):
    """What changed at a commit, besides the code of the project."""

    RELEASE = "release"
    MACHINE = "machine"
    PYTHON = "python"
    PACKAGE = "package"
    VERSION = "version"


class RunMark(msgspec.Struct, frozen=True, kw_only=True):
    """Something that changed at a commit, besides the code of the project."""

    commit: Index
    """The first commit with the change."""
    kind: MarkKind
    """A release, a shift of a machine, another Python, other packages, or another version of a benchmark."""
    label: str
    """What changed, in words."""
    targets: tuple[Index, ...] = ()
    """The targets where it changed; empty for all."""
    benchmark: str = ""
    """The benchmark that changed; empty for all."""


class MarksData(msgspec.Struct, frozen=True, kw_only=True):
    """data/marks.json.gz: what changed at the commits of histories, besides the code of the project."""

    schema: Literal["windtunnel.marks/1"]
    """The format of the file."""
    marks: tuple[RunMark, ...]
    """The marks, oldest first; without releases, which are in site.json."""


class ChartMark(msgspec.Struct, frozen=True, kw_only=True):
    """A mark of a chart."""

    at: Index
    """The index of the first value with the change."""
    kind: MarkKind
    """What changed."""
    label: str
    """What changed, in words."""


class ChartData(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one case around its change."""

    change: str
    """The id of the change in changes.json."""
    commits: tuple[Index, ...]
    """The commits of the values, oldest first."""
    dates: tuple[int, int]
    """The dates of the first and the last of them, in seconds since 1970."""
    values: tuple[float, ...]
    """The values as measured, in the benchmark's unit."""
    corrected: tuple[float, ...]
    """The values without what the machine did to all times of a run; empty where nothing is taken out."""
    levels: tuple[ChartLevel, ...]
    """The levels of the corrected values, oldest first."""
    change_index: Index
    """The index of the first value after the change."""
    marks: tuple[ChartMark, ...]
    """What else changed here, oldest first."""


class EventCharts(msgspec.Struct, frozen=True, kw_only=True):
    """data/charts/X.json.gz: the charts of the events whose id begins with the digit X."""

    schema: Literal["windtunnel.charts/1"]
    """The format of the file."""
    events: dict[str, tuple[ChartData, ...]]
    """For each event the chart of its lead case, and of its largest regression if that is another case."""

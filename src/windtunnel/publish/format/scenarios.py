"""Scenarios: one job done in several ways, side by side, with the newest figures of each."""

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from windtunnel.publish.format.words import CommitLine, Index, Limits, Project, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentCase:
    """A case without a value, and why, as far as a run record tells."""

    case: Text
    state: Literal["failed", "skipped"]
    reason: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A Python with its requirements on a machine, the newest commit there and what became of its cases."""

    name: Annotated[str, Meta(description="unique in this file")]
    python: Text
    machine: Text
    commit: Annotated[int, Meta(ge=0, description="index into commits")]
    measured: Index
    failed: Index
    skipped: Index
    absences: tuple[AbsentCase, ...]


class _Result(msgspec.Struct, frozen=True, kw_only=True, tag_field="state", tag=str.lower):
    """What became of a case; a Struct, since only of those msgspec can tell one from another, by their *state*."""


class Measured(_Result, frozen=True, kw_only=True):
    """The median in the benchmark's unit; the interval is null where there are too few samples for one."""

    value: float
    interval: Limits | None
    samples: Index | None


class Failed(_Result, frozen=True):
    """The benchmark raised, ran out of time or could not be built."""


class Skipped(_Result, frozen=True):
    """The case was not meant to be measured."""


class Missing(_Result, frozen=True):
    """No run has this case."""


class Infinite(_Result, frozen=True):
    """The benchmark returned no finite number."""


Result = Measured | Failed | Skipped | Missing | Infinite


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Median divided by the reference's median."""

    value: float
    interval: Limits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How the samples of a case are spread; *processes* is how many processes they are of, null: nobody recorded it."""

    quantiles: Annotated[
        tuple[float | None, ...], Meta(description="at the levels of the file, in the benchmark's unit; null: unknown")
    ]
    processes: Index | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadName:
    """A load, and how asv writes it as a parameter."""

    name: Text
    parameter: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCase:
    """One variant of a scenario; *ratio* is null for the reference and where one of the two has no value.

    *distribution* is null where neither samples nor quartiles were recorded. *profiles* is empty unless the scenario's
    kind is ``profile``; then it has the values of each process, at equal distances of time from beginning to end.
    """

    place: Annotated[int, Meta(ge=0, description="index into places")]
    commit: Annotated[int, Meta(ge=0, description="index into commits")]
    load: Annotated[int, Meta(ge=0, description="index into the scenario's loads")]
    variant: Annotated[int, Meta(ge=0, description="index into the scenario's variants")]
    result: Result
    ratio: Ratio | None
    distribution: Distribution | None
    profiles: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fastest:
    """The variant with the smallest median and those that cannot be told from it; not given where nothing is clear."""

    place: Index
    load: Index
    variants: tuple[Index, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioData:
    """A benchmark whose variants are set side by side."""

    name: Text
    benchmark: Text
    group: Annotated[str, Meta(description="the benchmark's module: benchmarks of one group time the same job")]
    kind: Annotated[str, Meta(description="asv's type: time, latency, peakmemory, profile, track and others")]
    unit: Text
    reference: Annotated[int, Meta(ge=0, description="index into variants")]
    variants: tuple[Text, ...]
    loads: tuple[LoadName, ...]
    cases: tuple[ScenarioCase, ...]
    fastest: tuple[Fastest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewData:
    """The whole file. Values are in base units: seconds, bytes, or the benchmark's own unit."""

    format: Literal["windtunnel/overview"]
    version: Literal[1]
    project: Project
    confidence: Annotated[float, Meta(description="what every interval reaches at least")]
    levels: Annotated[tuple[float, ...], Meta(description="of quantiles: shares of samples at or below them")]
    commits: tuple[CommitLine, ...]
    places: tuple[Place, ...]
    scenarios: tuple[ScenarioData, ...]

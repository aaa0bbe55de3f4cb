"""Histories: one benchmark over all commits, and all benchmarks over a few neighbouring commits."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from windtunnel.publish.format.words import CommitIndex, File, Index, PlaceIndex, Text

Steps = Annotated[
    tuple[int | None, ...],
    Meta(description="the first value, then differences between neighbours; null is a gap and is passed over"),
]
Widths = Annotated[tuple[int | None, ...], Meta(description="distances from the value, in the same steps; null: none")]


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

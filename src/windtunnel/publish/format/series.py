"""Histories: one benchmark over all commits, and all benchmarks over a few neighbouring commits."""

from typing import Literal

import msgspec

from windtunnel.publish.format.front import Index


class SeriesColumns(msgspec.Struct, frozen=True, kw_only=True):
    """One case over commits, in columns. A value is its steps / 10 ** digits, in the benchmark's unit."""

    params: tuple[str, ...]
    """The parameter values of the case."""
    digits: int
    """The decimal places that are kept; negative for tens, hundreds and so on."""
    commits: tuple[int, ...]
    """The index of the first commit, then the differences between neighbours."""
    values: tuple[int | None, ...]
    """The first value in steps, then the differences between neighbours; null is a gap, which differences skip."""
    below: tuple[int | None, ...]
    """The steps from each value down to the lower limit of its interval; null where the interval is unknown."""
    above: tuple[int | None, ...]
    """The steps from each value up to the upper limit of its interval; null where the interval is unknown."""


class SeriesData(SeriesColumns, frozen=True, kw_only=True):
    """One case at one target."""

    target: Index
    """The target."""


class BenchmarkData(msgspec.Struct, frozen=True, kw_only=True):
    """data/benchmarks/NAME.json.gz: one benchmark, every case at every target, of the present version."""

    schema: Literal["windtunnel.benchmark/2"]
    """The format of the file."""
    name: str
    """The full name."""
    unit: str
    """The unit of the values."""
    kind: str
    """asv's type of the benchmark."""
    version: str | None
    """The present version."""
    params: tuple[str, ...]
    """The names of the parameters."""
    code: str
    """The source code."""
    confidence: float
    """The confidence of the intervals."""
    exact_from: Index
    """From this commit on each value has a point. An older point is the median of several commits, at the newest of
    them, and its limits enclose their values and intervals; the values are in the files of runs."""
    commits_per_point: Index
    """How many neighbouring commits share an older point."""
    changed: dict[str, Index]
    """The commits at which the level changed, by hash."""
    series: tuple[SeriesData, ...]
    """The series, in the suite's order of parameters."""


class BlockSeries(SeriesColumns, frozen=True, kw_only=True):
    """A series of one of many benchmarks."""

    benchmark: Index
    """An index into *benchmarks* of the file."""


class RunBlock(msgspec.Struct, frozen=True, kw_only=True):
    """data/runs/TARGET-N/BLOCK-PART.json.gz: one target on 64 neighbouring commits, or a part of it.

    A benchmark is in one part of a block.
    """

    schema: Literal["windtunnel.runs-block/2"]
    """The format of the file."""
    machine: str
    """The machine's name."""
    environment: str
    """The environment's name."""
    benchmarks: tuple[str, ...]
    """The names of the benchmarks."""
    series: tuple[BlockSeries, ...]
    """The series of all benchmarks."""


class BlockRuns(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a block: one target on 64 neighbouring commits."""

    target: Index
    """The target."""
    commits: tuple[int, ...]
    """The commits with values: the index of the first, then the differences between neighbours."""
    files: tuple[str, ...]
    """The paths of the files with the values, from the top of the site."""
    first: tuple[Index, ...]
    """The first benchmark of each file; a file has the benchmarks up to the first one of the next."""


class RunsData(msgspec.Struct, frozen=True, kw_only=True):
    """data/runs.json.gz: which commits were measured at which target."""

    schema: Literal["windtunnel.runs/2"]
    """The format of the file."""
    blocks: tuple[BlockRuns, ...]
    """The blocks, newest first."""

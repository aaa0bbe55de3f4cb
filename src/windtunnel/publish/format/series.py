"""Histories: one benchmark over all commits, and all benchmarks over a few neighbouring commits."""

from typing import Literal

import msgspec

from windtunnel.publish.format.front import Index


class SeriesData(msgspec.Struct, frozen=True, kw_only=True):
    """One case at one target over commits, in columns. A value is its steps / 10 ** digits, in the benchmark's unit."""

    target: Index
    """The target."""
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


class BenchmarkData(msgspec.Struct, frozen=True, kw_only=True):
    """data/benchmarks/NAME.json.gz: one benchmark, every case at every target, of the present version."""

    schema: Literal["windtunnel.benchmark/1"]
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
    series: tuple[SeriesData, ...]
    """The series, in the suite's order of parameters."""


class BlockSeries(SeriesData, frozen=True, kw_only=True):
    """A series of one of many benchmarks."""

    benchmark: Index
    """The benchmark."""


class RunBlock(msgspec.Struct, frozen=True, kw_only=True):
    """data/runs/TARGET-N.json.gz: everything measured at one target on 64 neighbouring commits."""

    schema: Literal["windtunnel.runs-block/1"]
    """The format of the file."""
    target: Index
    """The target."""
    series: tuple[BlockSeries, ...]
    """The series of all benchmarks."""


class RunsData(msgspec.Struct, frozen=True, kw_only=True):
    """data/runs.json: which commits were measured at which target, newest first, in columns."""

    schema: Literal["windtunnel.runs/1"]
    """The format of the file."""
    commit: tuple[Index, ...]
    """The commits."""
    target: tuple[Index, ...]
    """The targets."""
    file: tuple[Index, ...]
    """Indices into *files*."""
    files: tuple[str, ...]
    """The paths of the files with the values, from the top of the site."""

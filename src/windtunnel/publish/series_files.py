"""Builds the files of histories from the table of series: one for each benchmark, one for each block of commits."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

import msgspec
import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.target import Target
from windtunnel.publish.format.series import BenchmarkData, BlockSeries, RunBlock, RunsData, SeriesData
from windtunnel.publish.series_encoding import count_digits, encode_differences, encode_integers, to_steps
from windtunnel.results.series_table import SeriesRows, SeriesTable, distinct_pairs

CONFIDENCE = 0.99
"""The confidence of asv's own interval of the median, which all results have."""
BLOCK_SIZE = 64
"""Commits that share a file of runs: a new commit changes one file, a comparison reads two."""
MAX_SLUG = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFile:
    """A file to build: its path and what it is built from."""

    path: str
    digest: bytes
    """Changes whenever the content changes."""
    series: tuple[SeriesRows, ...]
    subject: Benchmark | int
    """The benchmark, or the index of the target of a block of runs."""


def benchmarks_with_values(table: SeriesTable, benchmarks: Sequence[Benchmark]) -> tuple[Benchmark, ...]:
    """Return those of *benchmarks* that have values in *table*; their positions are their indices in the files."""
    names = {case.benchmark for case in table.cases}
    return tuple(benchmark for benchmark in benchmarks if benchmark.name in names)


def benchmark_path(name: str) -> str:
    """Return the path of the history of the benchmark called *name*: safe for any name, and unique."""
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[-MAX_SLUG:].strip("-")
    return f"data/benchmarks/{slug}-{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}.json.gz"


def block_path(target: Target, block: int) -> str:
    """Return the path of a *block* of runs at *target*; it stays when other targets come and go."""
    name = f"{target.machine}\0{target.environment}".encode("utf-8", "surrogatepass")
    return f"data/runs/{blake2b(name, digest_size=6).hexdigest()}-{block}.json.gz"


def benchmark_files(table: SeriesTable, benchmarks: Sequence[Benchmark]) -> Iterator[SeriesFile]:
    """Yield the file of each of *benchmarks*."""
    by_name = {benchmark.name: benchmark for benchmark in benchmarks}
    for name, group in groupby(table.series(), key=lambda series: series.case.benchmark):
        benchmark, series = by_name[name], tuple(group)
        header = repr((benchmark.name, benchmark.unit, benchmark.type_word, benchmark.version, benchmark.param_names))
        digest = _digest(table, series, f"{header}{benchmark.code}")
        yield SeriesFile(path=benchmark_path(name), digest=digest, series=series, subject=benchmark)


def block_files(table: SeriesTable, targets: Sequence[Target], benchmarks: Sequence[Benchmark]) -> Iterator[SeriesFile]:
    """Yield the files of runs: one for each target and each 64 neighbouring commits."""
    blocks = table.commit // BLOCK_SIZE
    indices = {benchmark.name: index for index, benchmark in enumerate(benchmarks)}
    for index, target in enumerate(targets):
        here = np.flatnonzero(table.target == index).astype(np.int32)
        for block in np.unique(blocks[here]).tolist():
            series = tuple(table.series(here[blocks[here] == block]))
            header = repr((index, [indices[each.case.benchmark] for each in series]))
            digest = _digest(table, series, header)
            yield SeriesFile(path=block_path(target, block), digest=digest, series=series, subject=index)


def runs_data(table: SeriesTable, targets: Sequence[Target]) -> RunsData:
    """Return which commits were measured at which target, newest first, and the files with their values."""
    pairs = distinct_pairs(table.commit, table.target)[::-1]
    paths = [block_path(targets[target], commit // BLOCK_SIZE) for commit, target in pairs]
    files = {path: index for index, path in enumerate(dict.fromkeys(paths))}
    return RunsData(
        schema="windtunnel.runs/1",
        commit=tuple(commit for commit, _ in pairs),
        target=tuple(target for _, target in pairs),
        file=tuple(files[path] for path in paths),
        files=tuple(files),
    )


def build_content(file: SeriesFile, table: SeriesTable, benchmarks: Sequence[Benchmark]) -> BenchmarkData | RunBlock:
    """Return the content of *file*."""
    subject = file.subject
    if isinstance(subject, int):
        indices = {benchmark.name: index for index, benchmark in enumerate(benchmarks)}
        blocks = tuple(
            BlockSeries(benchmark=indices[each.case.benchmark], **msgspec.structs.asdict(_encode(table, each)))
            for each in file.series
        )
        return RunBlock(schema="windtunnel.runs-block/1", target=subject, series=blocks)
    return BenchmarkData(
        schema="windtunnel.benchmark/1",
        name=subject.name,
        unit=subject.unit or "unit",
        kind=subject.type_word,
        version=subject.version,
        params=subject.param_names,
        code=subject.code,
        confidence=CONFIDENCE,
        series=tuple(_encode(table, each) for each in file.series),
    )


def _encode(table: SeriesTable, series: SeriesRows) -> SeriesData:
    case, target, rows = series
    values = table.value[rows]
    digits = count_digits(values)
    steps = to_steps(values, digits)
    return SeriesData(
        target=target,
        params=case.params,
        digits=digits,
        commits=tuple(np.diff(table.commit[rows], prepend=0).tolist()),
        values=encode_differences(steps),
        below=encode_integers(steps - to_steps(table.low[rows], digits)),
        above=encode_integers(to_steps(table.high[rows], digits) - steps),
    )


def _digest(table: SeriesTable, series: Sequence[SeriesRows], header: str) -> bytes:
    """Return a digest of everything that the content of a file is built from."""
    digest = blake2b(header.encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(repr([(case, target, len(rows)) for case, target, rows in series]).encode("utf-8", "surrogatepass"))
    rows = np.concatenate([each.rows for each in series])
    for column in (table.commit, table.value, table.low, table.high):
        digest.update(column[rows].tobytes())
    return digest.digest()

"""Builds the files of histories from the table of series: one for each benchmark, and those of each block of runs."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.target import Target
from windtunnel.publish.format.series import BenchmarkData, BlockRuns, BlockSeries, RunBlock, RunsData, SeriesData
from windtunnel.publish.series_encoding import EncodedSeries, encode_series
from windtunnel.results.series_blocks import BLOCK_SIZE, CommitBlock, SeriesBlocks, benchmark_starts
from windtunnel.results.series_table import SeriesTable, coarsen, join_tables

CONFIDENCE = 0.99
"""The confidence of asv's own interval of the median, which all results have."""
MAX_VALUES = 100_000
"""Values in the file of a benchmark, 300 kB; with more, older commits share a point."""
MAX_SLUG = 60
FAN_OUT = 256
"""Blocks of runs in a folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFile:
    """The file of a benchmark to build."""

    path: str
    digest: bytes
    """Changes whenever the content changes."""
    benchmark: Benchmark
    table: SeriesTable
    """The rows of the benchmark."""
    exact_from: int
    """The first commit whose values have a point each."""
    commits_per_point: int
    """How many older commits share a point."""
    changed: Mapping[CommitHash, int]
    """The indices of the commits at which it changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFile:
    """A file with a part of a block of runs."""

    path: str
    digest: bytes
    """Changes whenever the content changes."""
    start: int
    """The first of its values in the table of the block."""
    end: int


def benchmarks_with_values(table: SeriesTable, benchmarks: Sequence[Benchmark]) -> tuple[Benchmark, ...]:
    """Return those of *benchmarks* that have values in *table*; their positions are their indices in the files."""
    names = {case.benchmark for case in table.cases}
    return tuple(benchmark for benchmark in benchmarks if benchmark.name in names)


def benchmark_path(name: str) -> str:
    """Return the path of the history of the benchmark called *name*: safe for any name, and unique."""
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[-MAX_SLUG:].strip("-")
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"data/benchmarks/{digest[:2]}/{slug}-{digest}.json.gz"


def part_path(target: Target, block: int, part: int) -> str:
    """Return the path of a *part* of a *block* of runs at *target*; it stays when other targets come and go."""
    name = f"{target.machine}\0{target.environment}".encode("utf-8", "surrogatepass")
    return f"data/runs/{blake2b(name, digest_size=6).hexdigest()}-{block // FAN_OUT}/{block}-{part}.json.gz"


def history_files(
    table: SeriesTable,
    first_exact: int,
    benchmarks: Iterable[Benchmark],
    changed: Mapping[BenchmarkName, Mapping[CommitHash, int]],
) -> Iterator[HistoryFile]:
    """Yield the file of each of *benchmarks*; before *first_exact* the rows of *table* stand for 64 commits."""
    by_name = {benchmark.name: benchmark for benchmark in benchmarks}
    for name, start, end in benchmark_starts(table):
        benchmark = by_name[name]
        rows, exact_from, size = _limited(table.select(np.arange(start, end)), first_exact, [benchmark])
        own = changed.get(name, {})
        header = (benchmark.name, benchmark.unit, benchmark.type_word, benchmark.version, benchmark.param_names)
        digest = blake2b(repr((header, benchmark.code, exact_from, size, own)).encode("utf-8", "surrogatepass"))
        numbers, found = np.unique(rows.case, return_inverse=True)
        digest.update(repr([rows.cases[number] for number in numbers]).encode("utf-8", "surrogatepass"))
        for column in (found.astype(np.int32), rows.target, rows.commit, rows.value, rows.low, rows.high):
            digest.update(column.tobytes())
        yield HistoryFile(
            path=benchmark_path(name),
            digest=digest.digest()[:16],
            benchmark=benchmark,
            table=rows,
            exact_from=exact_from,
            commits_per_point=size,
            changed=own,
        )


def _limited(table: SeriesTable, first_exact: int, benchmarks: Sequence[Benchmark]) -> tuple[SeriesTable, int, int]:
    """Return *table* with at most about MAX_VALUES rows, its first exact commit, and the commits of an older point."""
    if len(table.case) <= MAX_VALUES:
        return table, first_exact, BLOCK_SIZE
    newest = np.sort(table.commit)[-MAX_VALUES * 3 // 4 :]
    exact_from = max(first_exact, int(newest[0]) + 1)
    is_exact = table.commit >= exact_from
    exact, older = table.select(np.flatnonzero(is_exact)), table.select(np.flatnonzero(~is_exact))
    size = BLOCK_SIZE
    coarse = coarsen(older, size)
    while len(coarse.case) > MAX_VALUES // 4 and len(coarse.case) > len(np.unique(coarse.case)) * 8:
        size *= 2
        coarse = coarsen(coarse, size)
    return join_tables([coarse, exact], benchmarks), exact_from, size


def part_files(block: CommitBlock, targets: Sequence[Target]) -> tuple[PartFile, ...]:
    """Return the files of *block*."""
    found, start = [], 0
    for part, (_, count) in enumerate(block.header.parts):
        digest = blake2b(block.header.digest + part.to_bytes(4, "little"), digest_size=16).digest()
        path = part_path(targets[block.target], block.number, part)
        found.append(PartFile(path=path, digest=digest, start=start, end=start + count))
        start += count
    return tuple(found)


def runs_data(blocks: SeriesBlocks, targets: Sequence[Target], benchmarks: Sequence[Benchmark]) -> RunsData:
    """Return which commits were measured at which target, newest first, and the files with their values."""
    indices = {benchmark.name: index for index, benchmark in enumerate(benchmarks)}
    newest_first = sorted(blocks.blocks, key=lambda block: (-block.number, block.target))
    return RunsData(
        schema="windtunnel.runs/2",
        blocks=tuple(
            BlockRuns(
                target=block.target,
                commits=_differences([block.number * BLOCK_SIZE + each for each in block.header.commits]),
                files=tuple(file.path for file in part_files(block, targets)),
                first=tuple(indices[name] for name, _ in block.header.parts),
            )
            for block in newest_first
            if block.header.commits
        ),
    )


def _differences(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(after - before for before, after in pairwise([0, *numbers]))


def history_content(file: HistoryFile) -> BenchmarkData:
    """Return the content of *file*."""
    benchmark = file.benchmark
    return BenchmarkData(
        schema="windtunnel.benchmark/2",
        name=benchmark.name,
        unit=benchmark.unit or "unit",
        kind=benchmark.type_word,
        version=benchmark.version,
        params=benchmark.param_names,
        code=benchmark.code,
        confidence=CONFIDENCE,
        exact_from=file.exact_from,
        commits_per_point=file.commits_per_point,
        changed={str(commit): index for commit, index in file.changed.items()},
        series=tuple(
            SeriesData(target=each.target, params=each.case.params, **_columns(each))
            for each in encode_series(file.table)
        ),
    )


def part_content(file: PartFile, block: CommitBlock, table: SeriesTable, targets: Sequence[Target]) -> RunBlock:
    """Return the content of *file*; *table* has the values of *block*."""
    found = tuple(encode_series(table.select(np.arange(file.start, file.end))))
    names = {name: index for index, name in enumerate(dict.fromkeys(each.case.benchmark for each in found))}
    return RunBlock(
        schema="windtunnel.runs-block/2",
        machine=targets[block.target].machine,
        environment=targets[block.target].environment,
        benchmarks=tuple(names),
        series=tuple(
            BlockSeries(benchmark=names[each.case.benchmark], params=each.case.params, **_columns(each))
            for each in found
        ),
    )


def _columns(series: EncodedSeries) -> dict[str, Any]:
    names = ("digits", "commits", "values", "below", "above")
    return {name: getattr(series, name) for name in names}

"""Builds the files of histories from the table of series: one for each benchmark, and those of each block of runs.

Values are encoded as columns of small integers, a tenth of the size of floats.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.target import Target
from windtunnel.publish.format import results as data
from windtunnel.results.columns import CaseKey, Floats
from windtunnel.results.series_blocks import BLOCK_SIZE, CommitBlock, SeriesBlocks, benchmark_starts
from windtunnel.results.series_table import SeriesTable, coarsen, group_starts, join_tables

CONFIDENCE = 0.99
"""The confidence of asv's own interval of the median, which all results have."""
MAX_VALUES = 100_000
"""Values in the file of a benchmark, 300 kB; with more, older commits share a point."""
MAX_SLUG = 60
FAN_OUT = 256
"""Blocks of runs in a folder."""
MIN_STEPS = 1000
"""The steps in the typical value of a series (geometric mean), at least: rounding changes it by less than 0.05 %."""
MAX_INTEGER = 2**53
"""The largest integer up to which a reader's floats are exact."""
MAX_DIGITS = 300
"""The decimal places that a float can be scaled by."""
HEIGHTS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The heights of a sparkline, lowest first; a dot is a gap."""
SPARKLINE_LENGTH = 24
"""The positions of a sparkline: as many as a phone shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFile:
    """A file of series to build."""

    path: str
    digest: bytes
    """Changes whenever the content changes."""
    read: Callable[[], SeriesTable]
    """Returns its rows, which may have to be read."""
    encode: Callable[[SeriesTable], data.BenchmarkData | data.RunBlock]
    """Returns the content from these rows."""


def benchmarks_with_values(table: SeriesTable, benchmarks: Sequence[Benchmark]) -> tuple[Benchmark, ...]:
    """Return those of *benchmarks* that have values in *table*; their positions are their indices in the files."""
    names = {case.benchmark for case in table.cases}
    return tuple(benchmark for benchmark in benchmarks if benchmark.name in names)


def benchmark_path(name: str) -> str:
    """Return the path of the history of the benchmark called *name*: safe for any name, and unique."""
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[-MAX_SLUG:].strip("-")
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"data/benchmarks/{digest[:2]}/{slug}-{digest}.json.gz"


def part_path(target: Target, block: CommitBlock, part: int) -> str:
    """Return the path of a *part* of a *block* of runs at *target*; it stays when other targets and branches grow."""
    name = f"{target.machine}\0{target.environment}\0{block.branch}".encode("utf-8", "surrogatepass")
    folder = f"{blake2b(name, digest_size=6).hexdigest()}-{block.number // FAN_OUT}"
    return f"data/runs/{folder}/{block.number}-{part}.json.gz"


def history_files(
    blocks: SeriesBlocks, benchmarks: Iterable[Benchmark], changed: Mapping[BenchmarkName, Mapping[CommitHash, int]]
) -> Iterator[SeriesFile]:
    """Yield the file of each of *benchmarks*."""
    by_name = {benchmark.name: benchmark for benchmark in benchmarks}
    for name, start, end in benchmark_starts(blocks.table):
        benchmark = by_name[name]
        rows, exact_from, size = _limited(blocks, blocks.table.select(slice(start, end)))
        own = changed.get(name, {})
        header = (benchmark.name, benchmark.unit, benchmark.type_word, benchmark.version, benchmark.param_names)
        digest = blake2b(repr((header, benchmark.code, exact_from, size, own)).encode("utf-8", "surrogatepass"))
        cases = [rows.cases[number] for number in rows.case[group_starts(rows.case)].tolist()]
        digest.update(repr(cases).encode("utf-8", "surrogatepass"))
        for column in (rows.case - rows.case[0], rows.target, rows.commit, rows.value, rows.low, rows.high):
            digest.update(column.data)
        yield SeriesFile(
            path=benchmark_path(name),
            digest=digest.digest()[:16],
            read=partial(rows.select, slice(None)),
            encode=partial(_history, benchmark, exact_from, size, own),
        )


def _limited(blocks: SeriesBlocks, table: SeriesTable) -> tuple[SeriesTable, int, int]:
    """Return *table* with at most about MAX_VALUES rows, its first exact commit, and the blocks of an older point."""
    if len(table.case) <= MAX_VALUES:
        return table, blocks.first_exact, 1
    newest = np.sort(table.commit)[-MAX_VALUES * 3 // 4 :]
    exact_from = max(blocks.first_exact, int(newest[0]) + 1)
    is_exact = table.commit >= exact_from
    exact, older = table.select(np.flatnonzero(is_exact)), table.select(np.flatnonzero(~is_exact))
    size = 1
    coarse = coarsen(older, blocks.block_of)
    while len(coarse.case) > MAX_VALUES // 4 and len(coarse.case) > len(np.unique(coarse.case)) * 8:
        size *= 2
        coarse = coarsen(coarse, blocks.block_of // size)
    return join_tables([coarse, exact]), exact_from, size


def part_files(blocks: SeriesBlocks, block: CommitBlock, targets: Sequence[Target]) -> Iterator[SeriesFile]:
    """Yield the files of *block*."""
    target, start = targets[block.target], 0
    for part, (_, count) in enumerate(block.parts):
        digest = blake2b(block.digest + part.to_bytes(4, "little"), digest_size=16).digest()
        yield SeriesFile(
            path=part_path(target, block, part),
            digest=digest,
            read=partial(blocks.values, block, start, start + count),
            encode=partial(_part, target, block.first),
        )
        start += count


def runs_data(blocks: SeriesBlocks, targets: Sequence[Target], benchmarks: Sequence[Benchmark]) -> data.RunsData:
    """Return which commits were measured at which target, newest first, and the files with their values."""
    indices = {benchmark.name: index for index, benchmark in enumerate(benchmarks)}
    newest_first = sorted(blocks.blocks, key=lambda block: (-block.index, block.target))
    return data.RunsData(
        schema="windtunnel.runs/3",
        starts=_differences(blocks.starts.tolist()),
        blocks=tuple(
            data.BlockRuns(
                target=block.target,
                block=block.index,
                commits=_differences(block.commits),
                files=tuple(part_path(targets[block.target], block, part) for part in range(len(block.parts))),
                first=tuple(indices[name] for name, _ in block.parts),
            )
            for block in newest_first
        ),
    )


def _differences(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(after - before for before, after in pairwise([0, *numbers]))


def _history(
    benchmark: Benchmark, exact_from: int, blocks_per_point: int, changed: Mapping[CommitHash, int], table: SeriesTable
) -> data.BenchmarkData:
    return data.BenchmarkData(
        schema="windtunnel.benchmark/2",
        name=benchmark.name,
        unit=benchmark.unit or "unit",
        kind=benchmark.type_word,
        version=benchmark.version,
        params=benchmark.param_names,
        code=benchmark.code,
        confidence=CONFIDENCE,
        exact_from=exact_from,
        commits_per_point=blocks_per_point * BLOCK_SIZE,
        changed={str(commit): index for commit, index in changed.items()},
        series=tuple(data.SeriesData(target=target, **columns) for _, target, columns in encode_series(table)),
    )


def _part(target: Target, first: int, table: SeriesTable) -> data.RunBlock:
    found = tuple(encode_series(replace(table, commit=table.commit - np.int32(first))))
    names = {name: index for index, name in enumerate(dict.fromkeys(case.benchmark for case, _, _ in found))}
    return data.RunBlock(
        schema="windtunnel.runs-block/3",
        machine=target.machine,
        environment=target.environment,
        benchmarks=tuple(names),
        series=tuple(data.BlockSeries(benchmark=names[case.benchmark], **columns) for case, _, columns in found),
    )


def encode_series(table: SeriesTable) -> Iterator[tuple[CaseKey, int, dict[str, Any]]]:
    """Yield the case, target and fields of `SeriesColumns` of each series; all at once, one alone has few values."""
    if not len(table.case):
        return
    starts = group_starts(table.case, table.target)
    lengths = np.diff(np.append(starts, len(table.case)))
    digits = count_digits(table.value, starts)
    of_row = np.repeat(digits, lengths)
    steps = to_steps(table.value, of_row)
    commits = np.diff(table.commit, prepend=0)
    commits[starts] = table.commit[starts]
    values = _with_gaps(differences(steps, starts), steps)
    widths = steps - to_steps(table.low, of_row), to_steps(table.high, of_row) - steps
    below, above = (_with_gaps(width, width) for width in widths)
    listed = tuple(commits.tolist())
    for start, length, places in zip(starts.tolist(), lengths.tolist(), digits.tolist(), strict=True):
        end = start + length
        case = table.cases[table.case[start]]
        columns = {
            "params": case.params,
            "digits": places,
            "commits": listed[start:end],
            "values": values[start:end],
            "below": below[start:end],
            "above": above[start:end],
        }
        yield case, int(table.target[start]), columns


def count_digits(values: Floats, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the decimal places to keep of each series; negative for tens, hundreds and so on. NaN is a gap.

    *starts* are the first rows of the series. Integers are kept exactly, as far as a reader's floats are exact.
    """
    sizes = np.abs(values)
    has_size = np.isfinite(sizes) & (sizes > 0)
    sizes = np.where(has_size, sizes, 1.0)
    number = np.add.reduceat(has_size, starts, dtype=np.int64)
    largest = np.maximum.reduceat(np.where(has_size, sizes, 0.0), starts)
    is_whole = np.logical_and.reduceat(~has_size | (sizes == np.floor(sizes)), starts) & (largest < MAX_INTEGER)
    typical = np.add.reduceat(np.where(has_size, np.log10(sizes), 0.0), starts) / np.maximum(number, 1)
    places = math.ceil(math.log10(MIN_STEPS)) - np.floor(typical)
    limit = math.floor(math.log10(MAX_INTEGER)) - np.ceil(np.log10(np.where(largest > 0, largest, 1.0)))
    return np.where(is_whole, 0, np.minimum(np.minimum(places, limit), MAX_DIGITS)).astype(np.int64)


def to_steps(values: Floats, digits: NDArray[np.int64]) -> Floats:
    """Return *values* as whole numbers of steps of 10 ** -digits; NaN is a gap."""
    with np.errstate(over="ignore", invalid="ignore"):
        factor = 10.0 ** np.abs(digits)
        steps = np.rint(np.where(digits >= 0, values * factor, values / factor))
    return np.where(np.isfinite(steps), steps, np.nan)


def differences(steps: Floats, starts: NDArray[np.int64]) -> Floats:
    """Return the first known of the *steps* of each series, then the differences between neighbours; NaN is a gap."""
    known = np.flatnonzero(np.isfinite(steps))
    series = np.searchsorted(starts, known, side="right")
    found = np.diff(steps[known], prepend=0.0)
    begins = np.diff(series, prepend=0) != 0
    found[begins] = steps[known][begins]
    result = np.full(len(steps), np.nan)
    result[known] = found
    return result


def _with_gaps(numbers: Floats, steps: Floats) -> tuple[int | None, ...]:
    """Return *numbers* as integers, None where *steps* are not finite."""
    known = np.isfinite(steps)
    listed: list[int | None] = np.where(known, numbers, 0).astype(np.int64).tolist()
    for gap in np.flatnonzero(~known).tolist():
        listed[gap] = None
    return tuple(listed)


def sparklines(*columns: Sequence[float]) -> tuple[str, ...]:
    """Return the last values of each column as heights between the extremes of all columns; NaN is a gap."""
    last = np.array([column[-SPARKLINE_LENGTH:] for column in columns], dtype=float)
    known = last[np.isfinite(last)]
    if not len(known):
        return ("",) * len(columns)
    low, high = float(known.min()), float(known.max())
    with np.errstate(over="ignore", invalid="ignore"):
        heights = np.nan_to_num((last - low) / (high - low) if high > low else last * 0 + 0.5, nan=0.0)
    indices = np.rint(heights * (len(HEIGHTS) - 1)).astype(int)
    return tuple(
        "".join(HEIGHTS[index] if known else "." for index, known in zip(line, row, strict=True))
        for line, row in zip(indices.tolist(), np.isfinite(last).tolist(), strict=True)
    )

"""From the table of values to the files of benchmarks and of neighbouring commits."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.target import Target
from windtunnel.publish import series_columns
from windtunnel.publish.format.series import BenchmarkData, BlockSeries, RunBlock, RunsData, SeriesData
from windtunnel.results.columns import Places
from windtunnel.results.value_table import SeriesKey, ValueTable, distinct

CONFIDENCE = 0.99
"""asv's own interval of the median, which is in the results of every version."""
BLOCK = 64
"""Commits that share a file of runs: a new commit writes one anew, a comparison reads two."""
LONGEST_SLUG = 60

Line = tuple[SeriesKey, int, Places]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A file before it is made: *digest* tells whether what it is made from has changed."""

    path: str
    digest: bytes
    lines: tuple[Line, ...]
    subject: Benchmark | int
    """The benchmark, or the place whose runs these are."""


def benchmark_path(name: str) -> str:
    """Return where the history of the benchmark called *name* is: safe for any name, no two alike."""
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[-LONGEST_SLUG:].strip("-")
    return f"data/benchmarks/{slug}-{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}.json.gz"


def benchmark_drafts(table: ValueTable) -> Iterator[Draft]:
    """Yield the file of each benchmark."""
    for index, lines in groupby(table.lines(), key=lambda line: line[0].benchmark):
        benchmark, found = table.benchmarks[index], tuple(lines)
        said = repr((benchmark.name, benchmark.unit, benchmark.type_word, benchmark.version, benchmark.param_names))
        digest = _digest(table, found, f"{said}{benchmark.code}")
        yield Draft(path=benchmark_path(benchmark.name), digest=digest, lines=found, subject=benchmark)


def block_drafts(table: ValueTable, places: Sequence[Target]) -> Iterator[Draft]:
    """Yield the files of runs: a file for each place and each 64 neighbouring commits."""
    blocks = table.commit // BLOCK
    for index, place in enumerate(places):
        here = np.flatnonzero(table.place == index).astype(np.int32)
        for block in np.unique(blocks[here]).tolist():
            lines = tuple(table.lines(here[blocks[here] == block]))
            path = block_path(place, block)
            yield Draft(path=path, digest=_digest(table, lines, str(index)), lines=lines, subject=index)


def block_path(place: Target, block: int) -> str:
    """Return where the runs of a *block* of commits at *place* are; the name stays when other places come and go."""
    name = f"{place.machine}\0{place.environment}".encode("utf-8", "surrogatepass")
    return f"data/runs/{blake2b(name, digest_size=6).hexdigest()}-{block}.json.gz"


def runs_data(table: ValueTable, places: Sequence[Target]) -> RunsData:
    """Return which commits were measured where, newest first, and the files that hold their values."""
    pairs = distinct(table.commit, table.place)[::-1]
    paths = [block_path(places[place], commit // BLOCK) for commit, place in pairs]
    files = {path: index for index, path in enumerate(dict.fromkeys(paths))}
    return RunsData(
        schema="windtunnel.runs/1",
        commit=tuple(commit for commit, _ in pairs),
        place=tuple(place for _, place in pairs),
        file=tuple(files[path] for path in paths),
        files=tuple(files),
    )


def content_of(draft: Draft, table: ValueTable) -> BenchmarkData | RunBlock:
    """Return what the file of *draft* holds."""
    subject = draft.subject
    if isinstance(subject, int):
        blocks = tuple(_block_series(table, line) for line in draft.lines)
        return RunBlock(schema="windtunnel.runs-block/1", place=subject, series=blocks)
    return BenchmarkData(
        schema="windtunnel.benchmark/1",
        name=subject.name,
        unit=subject.unit or "unit",
        kind=subject.type_word,
        version=subject.version,
        params=subject.param_names,
        code=subject.code,
        confidence=CONFIDENCE,
        series=tuple(_series(table, line) for line in draft.lines),
    )


def _series(table: ValueTable, line: Line) -> SeriesData:
    key, place, rows = line
    values = table.value[rows]
    digits = series_columns.digits_of(values)
    steps = series_columns.scaled(values, digits)
    return SeriesData(
        place=place,
        params=key.params,
        digits=digits,
        commits=tuple(np.diff(table.commit[rows], prepend=0).tolist()),
        values=series_columns.steps_between(steps),
        below=series_columns.whole(steps - series_columns.scaled(table.low[rows], digits)),
        above=series_columns.whole(series_columns.scaled(table.high[rows], digits) - steps),
    )


def _block_series(table: ValueTable, line: Line) -> BlockSeries:
    one = _series(table, line)
    return BlockSeries(
        benchmark=line[0].benchmark,
        place=one.place,
        params=one.params,
        digits=one.digits,
        commits=one.commits,
        values=one.values,
        below=one.below,
        above=one.above,
    )


def _digest(table: ValueTable, lines: Sequence[Line], said: str) -> bytes:
    """Return what changes with anything that the file is made of."""
    made = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16)
    made.update(repr([(key, place, len(rows)) for key, place, rows in lines]).encode("utf-8", "surrogatepass"))
    rows = np.concatenate([rows for _, _, rows in lines])
    for column in (table.commit, table.value, table.low, table.high):
        made.update(column[rows].tobytes())
    return made.digest()

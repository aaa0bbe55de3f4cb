"""From the table of values to the files that every page begins with: the site, its commits, its benchmarks."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isfinite, isnan, prod

import numpy as np

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.target import Target
from windtunnel.publish.format.front import SitePlace
from windtunnel.publish.format.lists import BenchmarksData, CommitsData
from windtunnel.publish.series_columns import SPARK_LENGTH, sparkline
from windtunnel.publish.series_files import Line, benchmark_path
from windtunnel.publish.timeline import TimedCommit
from windtunnel.results.columns import Places
from windtunnel.results.value_table import ValueTable

Newest = dict[int, Places]
"""The commits with values, ascending, by place."""
COMMITS_A_FILE = 512
"""A new commit writes the last file anew; 1,500 commits are three requests."""


def commit_files(commits: Sequence[TimedCommit]) -> Iterator[tuple[str, CommitsData]]:
    """Yield the path and the content of each file of commits."""
    for first in range(0, len(commits), COMMITS_A_FILE):
        part = commits[first : first + COMMITS_A_FILE]
        yield (
            f"data/commits/{first // COMMITS_A_FILE}.json",
            CommitsData(
                schema="windtunnel.commits/1",
                first=first,
                hash=tuple(each.hash for each in part),
                subject=tuple(each.commit.subject if each.commit else None for each in part),
                author=tuple(each.commit.author if each.commit else None for each in part),
                date=tuple(each.commit.author_date if each.commit else None for each in part),
                revision=tuple(each.revision for each in part),
            ),
        )


def benchmarks_data(table: ValueTable) -> BenchmarksData:
    """Return the list of benchmarks, each told by one of its series."""
    newest = _newest(table)
    found = [_Told(table, newest, tuple(lines)) for _, lines in groupby(table.lines(), lambda line: line[0].benchmark)]
    benchmarks = table.benchmarks
    units = {unit: index for index, unit in enumerate(dict.fromkeys(map(_unit, benchmarks)))}
    return BenchmarksData(
        schema="windtunnel.benchmarks/1",
        units=tuple(units),
        name=tuple(each.name for each in benchmarks),
        file=tuple(benchmark_path(each.name) for each in benchmarks),
        unit=tuple(units[_unit(each)] for each in benchmarks),
        params=tuple(each.param_names for each in benchmarks),
        cases=tuple(
            max(prod(map(len, each.params)), told.measured) for each, told in zip(benchmarks, found, strict=True)
        ),
        measured=tuple(each.measured for each in found),
        place=tuple(each.place for each in found),
        case=tuple(each.case for each in found),
        last=tuple(each.last for each in found),
        low=tuple(each.low for each in found),
        high=tuple(each.high for each in found),
        trend=tuple(each.trend for each in found),
        spark=tuple(each.spark for each in found),
        stale=tuple(each.stale for each in found),
    )


class _Told:
    """What the list says of a benchmark: its first series at the place where it was tried last."""

    def __init__(self, table: ValueTable, newest: Newest, lines: Sequence[Line]) -> None:
        latest = max(int(table.commit[rows[-1]]) for _, _, rows in lines)
        self.place = min(place for _, place, rows in lines if table.commit[rows[-1]] == latest)
        here = [rows for _, place, rows in lines if place == self.place and table.commit[rows[-1]] == latest]
        with_value = [rows for rows in here if not isnan(table.value[rows[-1]])]
        self.measured = len(with_value)
        rows = (with_value or here)[0]
        self.case = next(key.params for key, _, each in lines if each is rows)
        self.last, self.low, self.high = (_number(column[rows[-1]]) for column in (table.value, table.low, table.high))
        values = table.value[rows].tolist()
        self.spark = sparkline(values)
        self.trend = _trend(values[-SPARK_LENGTH:])
        commits = newest[self.place]
        self.stale = int(len(commits) - np.searchsorted(commits, latest, side="right"))


def _newest(table: ValueTable) -> Newest:
    return {place: np.unique(table.commit[table.place == place]) for place in np.unique(table.place).tolist()}


def _trend(values: Sequence[float]) -> float | None:
    """Return how far the median of the last third lies from that of the first, relative."""
    there = [value for value in values if isfinite(value)]
    third = max(1, len(there) // 3)
    if len(there) < 2:
        return None
    before, after = float(np.median(there[:third])), float(np.median(there[-third:]))
    change = after / before - 1 if before > 0 else None
    return change if change is not None and isfinite(change) else None


def _unit(benchmark: Benchmark) -> str:
    return benchmark.unit or "unit"


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def site_places(table: ValueTable, places: Sequence[Target]) -> tuple[SitePlace, ...]:
    """Return each place with what became of the newest commit there."""
    return tuple(_site_place(table, index, place) for index, place in enumerate(places))


def _site_place(table: ValueTable, index: int, place: Target) -> SitePlace:
    here = table.place == index
    commits = table.commit[here]
    newest = int(commits.max()) if len(commits) else 0
    values = table.value[here][commits == newest]
    return SitePlace(
        name=place.name,
        python=place.python,
        machine=place.machine,
        environment=place.environment,
        commit=newest,
        measured=int(np.isfinite(values).sum()),
        failed=int(np.isnan(values).sum()),
        runs=len(np.unique(commits)),
    )

"""The values of a results tree, sorted into series: all at once, for there may be millions."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    MachineName,
    Parameters,
    text_of,
)
from windtunnel.model.run import Run
from windtunnel.results.columns import CaseKey, ResultsPoints, joined

HARDWARE = ("arch", "cpu", "num_cpu")
"""Details that make another machine of one with the same name; kernel and bytes of memory do not."""
LARGEST = 1e100
"""A value beyond this, infinity included, measures nothing: it is a gap."""

Indices = NDArray[np.int64]
T = TypeVar("T")


class Place(NamedTuple):
    """Where a series was measured."""

    machine: MachineName
    hardware: str
    environment: EnvironmentName


class SeriesKey(NamedTuple):
    """What makes two values points of one series; another version or other hardware begins a new one."""

    benchmark: BenchmarkName
    params: Parameters
    version: BenchmarkVersion | None
    place: Place


class SeriesPoints(NamedTuple):
    """The values of a series, and the position of each in the history, ascending."""

    key: SeriesKey
    positions: Indices
    values: NDArray[np.float64]


def points_by_series(
    points: ResultsPoints, places: Mapping[CommitHash, int], versions: Mapping[BenchmarkName, BenchmarkVersion | None]
) -> Iterator[SeriesPoints]:
    """Yield the series in *points*, without failures and the commits that have no place among *places*.

    As in asv, a row without a version is of the present one, which *versions* tells.
    """
    shown = [(run, one) for run, one in zip(points.tree.runs, points.columns, strict=True) if run.commit in places]
    shown.sort(key=lambda pair: places[pair[0].commit])
    lengths = [len(one) for _, one in shown]
    together = joined([one for _, one in shown])
    where, place = _numbered([_place(run) for run, _ in shown])
    cases, case = _numbered([_with_version(key, versions) for key in points.cases])
    series = case[together.case] * max(1, len(where)) + np.repeat(place, lengths)
    position = np.repeat(np.array([places[run.commit] for run, _ in shown], np.int64), lengths)
    there = np.flatnonzero(np.abs(together.value) <= LARGEST)
    order = there[np.argsort(series[there], kind="stable")]
    for part in np.split(order, np.flatnonzero(np.diff(series[order])) + 1) if len(order) else ():
        number, at = divmod(int(series[part[0]]), len(where))
        name, version, params = cases[number]
        yield SeriesPoints(SeriesKey(name, params, version, where[at]), position[part], together.value[part])


def _place(run: Run) -> Place:
    hardware = ", ".join(text_of(run.params, name) or "" for name in HARDWARE)
    return Place(run.machine, hardware, run.environment.name)


def _with_version(key: CaseKey, versions: Mapping[BenchmarkName, BenchmarkVersion | None]) -> CaseKey:
    return key._replace(version=versions.get(key.benchmark)) if key.version is None else key


def _numbered(values: list[T]) -> tuple[list[T], Indices]:
    """Return the different *values*, and which of them each is."""
    numbers: dict[T, int] = {}
    which = [numbers.setdefault(value, len(numbers)) for value in values]
    return list(numbers), np.array(which, np.int64)

"""The map of recent changes: which benchmarks, relative to what, and what is left out."""

import numpy as np
from builders.observations import a_change, a_shift
from builders.observations import changes as detected
from builders.trees import a_benchmark, a_hash

from windtunnel.model.measure import Better
from windtunnel.model.settings import Expectation
from windtunnel.model.target import Target
from windtunnel.publish.change_map import MAX_COMMITS, MAX_ROWS, MapSource, change_map
from windtunnel.publish.timeline import SiteCommit
from windtunnel.results.columns import CaseKey
from windtunnel.results.series_table import SeriesTable

DESK = Target(name="3.12", python="3.12", machine="desk", environment="virtualenv-py3.12")
STEADY = [1.0] * 6
MOVED = [1.0, 1.0, 1.0, 1.0, 1.0, 1.1]


def a_map(series, *, changes=(), shifts=(), unit="seconds", expectations=()):
    """The map of *series*: the values of a case at each commit, by its benchmark and parameters; NaN is a gap."""
    series = {(key, ()) if isinstance(key, str) else key: line for key, line in series.items()}
    columns = [(case, commit, value) for case, line in enumerate(series.values()) for commit, value in enumerate(line)]
    case, commit, value = (np.array(column) for column in zip(*columns, strict=True))
    table = SeriesTable(
        cases=tuple(CaseKey(name, "1", params) for name, params in series),
        case=case.astype(np.int32),
        target=np.zeros(len(case), np.int32),
        commit=commit.astype(np.int32),
        value=value,
        low=value,
        high=value,
    )
    commits = [SiteCommit(hash=a_hash(at), commit=None, date=0.0, revision=at) for at in range(max(commit) + 1)]
    found = detected(*changes, shifts=shifts)
    source = MapSource(
        table=table,
        benchmarks=[a_benchmark(name, unit=unit) for name, _ in series],
        targets=[DESK],
        commits=commits,
        expectations=expectations,
    )
    return change_map(found, source)


def lines(found):
    return {row.benchmark: row.changes for row in found.rows}


def test_values_are_relative_to_the_oldest_third():
    """In per mille; a gap stays a gap."""
    found = a_map({"a": [*STEADY, 1.4, np.nan, 0.7]})
    assert lines(found) == {"a": (*[0] * 6, 400, None, -300)}
    assert [(each.commit, each.hash) for each in found.commits] == [(at, a_hash(at)) for at in range(9)]


def test_detected_changes_come_before_benchmarks_that_vary_more():
    """What varies is often noise; what moved by less than 5 % has no row."""
    found = a_map({"calm": STEADY, "noisy": [1.0, 1.0, 3.0, 1.0, 1.0, 1.0], "slower": [1.0, 1.0, 1.0, 1.1, 1.1, 1.1]},
                  changes=[a_change("slower", at=3)])  # fmt: skip
    assert [(row.benchmark, row.changed) for row in found.rows] == [("slower", True), ("noisy", False)]
    assert (found.moved, found.benchmarks) == (2, 3)


def test_series_that_changed_are_not_hidden_by_those_that_did_not():
    """Of a benchmark with many cases, often one changes."""
    grid = {("b.grid", (str(case),)): [1.0] * 6 for case in range(3)}
    found = a_map({**grid, ("b.grid", ("3",)): [1, 1, 1, 1, 2, 2]}, changes=[a_change("b.grid", params=("3",), at=4)])
    assert lines(found) == {"b.grid": (0, 0, 0, 0, 1000, 1000)}


def test_a_shift_of_the_machine_is_taken_out_of_times():
    """It explains nothing about bytes, and nothing about other machines."""
    doubled, other = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0], a_shift(at=3, relative_change=1.0, machine="other")
    shift = a_shift(at=3, relative_change=1.0)
    without = a_map({"a": [*doubled, 2.5]}, shifts=[shift, other])
    assert lines(without) == {"a": (0, 0, 0, 0, 0, 0, 250)}
    assert without.machine_shifts == 1
    for kept in (a_map({"a": doubled}, shifts=[shift], unit="bytes"), a_map({"a": doubled}, shifts=[other])):
        assert lines(kept) == {"a": (0, 0, 0, 1000, 1000, 1000)}


def test_a_slow_run_of_the_machine_is_taken_out_of_times():
    """Half as fast in one run, as all others; what waits, and does not follow, stays as it is."""
    rng = np.random.default_rng(3)
    series = {f"b{index}": np.exp(rng.normal(0, 0.003, 24)) for index in range(8)}
    series["b0"][12:] *= 1.3
    waits = np.exp(rng.normal(0, 0.003, 24))
    for line in series.values():
        line[[4, 9, 15, 20]] *= 1.5
    found = lines(a_map({**series, "waits": waits}, changes=[a_change("b0", at=12)]))
    assert list(found) == ["b0"]
    assert all(abs(each) < 30 for each in found["b0"][:12])
    assert all(270 < each < 330 for each in found["b0"][12:])


def test_a_change_below_the_noise_of_its_benchmark_is_not_shown():
    """A benchmark that varies by a tenth has no row for a tenth."""
    noisy = [1.0, 1.1, 0.9, 1.1, 0.95, 1.05, 0.9, 1.1, 1.0]
    assert lines(a_map({"noisy": noisy, "steady": [*STEADY, 1.0, 1.0, 1.1]})) == {"steady": (0,) * 8 + (100,)}


def test_the_direction_of_better_is_that_of_the_suite():
    """An expectation in pyproject.toml, else the unit."""
    expected = [Expectation(match="served", better=Better.HIGHER)]
    found = a_map({"served": MOVED, "took": MOVED}, expectations=expected)
    assert {row.benchmark: row.higher_is_better for row in found.rows} == {"served": True, "took": False}


def test_rows_and_columns_are_few():
    """And the number of those left out can be told."""
    series = {f"b{index:02}": [1.0] * (MAX_COMMITS + 4) + [2.0] for index in range(MAX_ROWS + 3)}
    found = a_map(series, unit="bytes")
    assert (len(found.rows), found.moved) == (MAX_ROWS, MAX_ROWS + 3)
    assert [each.commit for each in found.commits] == list(range(5, MAX_COMMITS + 5))


def test_without_three_values_there_is_no_map():
    """Two values have no level."""
    assert a_map({"a": [1.0, 2.0], "b": [np.nan, 0.0]}) is None

"""The table of series, which change detection and the site read."""

from dataclasses import replace

import numpy as np
import pytest
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value

from windtunnel.model.run import Failed, Interval, Measured, Skipped
from windtunnel.results.columns import values_of
from windtunnel.results.series_table import TableBuilder, coarsen, newest_pairs


def table_of(tree, commits=(1, 2, 3), *, current_only=False):
    """The table of *tree*, with one target, over *commits*."""
    order = {a_hash(commit): index for index, commit in enumerate(commits)}
    return TableBuilder(values_of(tree), [0] * len(tree.runs), order, current_only=current_only).build()


def series_of(table):
    """The commits and values of each series, by benchmark, version and parameters."""
    return {
        (key.benchmark, key.version, key.params): (table.commit[rows].tolist(), table.value[rows].tolist())
        for key, _, rows in table.series()
    }


def test_each_series_has_its_values_in_the_order_of_commits():
    """Runs of commits that are not given are left out."""
    bench = a_benchmark(n=["2", "10"])
    runs = [a_run(a_row(bench, a_value(commit), a_value(10 * commit)), commit=commit) for commit in (3, 1, 9, 2)]
    table = table_of(a_tree(*runs, benchmarks=[bench]))
    assert series_of(table) == {
        (bench.name, bench.version, ("2",)): ([0, 1, 2], [1, 2, 3]),
        (bench.name, bench.version, ("10",)): ([0, 1, 2], [10, 20, 30]),
    }
    assert [case.params for case in table.cases] == [("2",), ("10",)]


def test_another_version_is_a_series_of_its_own():
    """A row without a version belongs to the present one; the site shows that one alone."""
    bench = a_benchmark(version="2")
    runs = [
        a_run(a_row(bench, a_value(1), version="1"), commit=1),
        a_run(replace(a_row(bench, a_value(2)), version=None), commit=2),
        a_run(a_row(bench, a_value(3), version="2"), commit=3),
    ]
    tree = a_tree(*runs, benchmarks=[bench])
    present = {(bench.name, "2", ()): ([1, 2], [2, 3])}
    assert series_of(table_of(tree)) == {(bench.name, "1", ()): ([0], [1])} | present
    assert series_of(table_of(tree, current_only=True)) == present


def test_failed_and_infinite_values_are_gaps_and_skipped_cases_are_left_out():
    """A gap has neither a value nor an interval."""
    bench = a_benchmark(n=["1", "2", "3"])
    row = a_row(bench, Failed(), Measured(value=np.inf, interval=Interval(low=1.0, high=np.inf)), Skipped())
    table = table_of(a_tree(a_run(row), benchmarks=[bench]))
    assert [case.params for case in table.cases] == [("1",), ("2",)]
    assert np.isnan([table.value, table.low, table.high]).all()


def test_a_table_without_intervals_has_the_same_values():
    """No limit is known; change detection needs none."""
    bench = a_benchmark()
    runs = [a_run(a_row(bench, a_value(commit, 0.1)), commit=commit) for commit in (3, 1, 2)]
    tree = values_of(a_tree(*runs, benchmarks=[bench]))
    order = {a_hash(commit): commit for commit in (1, 2, 3)}
    table = TableBuilder(tree, [0] * 3, order, intervals=False).build()
    assert (
        series_of(table)
        == series_of(TableBuilder(tree, [0] * 3, order).build())
        == {(bench.name, bench.version, ()): ([1, 2, 3], [1, 2, 3])}
    )
    assert np.isnan([table.low, table.high]).all()


def test_an_interval_of_a_time_never_reaches_below_zero():
    """With few samples asv's does; then the lower limit is as far away as the upper one on the logarithmic scale."""
    bench = a_benchmark(n=["1", "2", "3"])
    wide, fine, negative = ((0.041, -0.027, 0.216), (0.041, 0.039, 0.044), (-1.0, -1.2, -0.9))
    results = (
        Measured(value=value, interval=Interval(low=low, high=high)) for value, low, high in (wide, fine, negative)
    )
    table = table_of(a_tree(a_run(a_row(bench, *results)), benchmarks=[bench]))
    assert table.low.tolist() == [pytest.approx(0.041**2 / 0.216), 0.039, -1.2]
    assert table.high.tolist() == [0.216, 0.044, -0.9]


def test_of_a_parameter_value_listed_twice_the_last_result_counts():
    """As in asv."""
    bench = a_benchmark(n=["1", "1"])
    table = table_of(a_tree(a_run(a_row(bench, a_value(1), a_value(2))), benchmarks=[bench]), current_only=True)
    assert series_of(table) == {(bench.name, bench.version, ("1",)): ([0], [2])}


def test_the_newest_value_of_a_series_is_the_newest_on_the_branch():
    """Commits elsewhere count as older, and stand where the branch has no value."""
    one, other = a_benchmark("a.time"), a_benchmark("b.time")
    runs = [a_run(a_row(one), commit=1), a_run(a_row(one), a_row(other), commit=2)]
    table = table_of(a_tree(*runs, benchmarks=[one, other]))
    assert newest_pairs(table, np.array([True, True])) == {(0, 1)}
    assert newest_pairs(table, np.array([True, False])) == {(0, 0), (0, 1)}


def test_a_coarse_row_has_the_median_and_encloses_all():
    """Gaps do not count; a group of gaps alone is a gap. The row is at the newest commit."""
    bench = a_benchmark()
    values = [a_value(5.0, 0.1), Failed(), a_value(1.0, 0.5), a_value(2.0, 0.1), Failed()]
    runs = [a_run(a_row(bench, value), commit=index) for index, value in enumerate(values)]
    table = values_of(a_tree(*runs, benchmarks=[bench]))
    order = {a_hash(index): index for index in range(5)}
    coarse = coarsen(TableBuilder(table, [0] * 5, order).build(), np.array([0, 0, 0, 0, 1]))
    assert (coarse.commit.tolist(), coarse.value[0]) == ([3, 4], 2.0)
    assert np.isnan([coarse.value[1], coarse.low[1], coarse.high[1]]).all()
    assert coarse.low[0] <= 1.0
    assert coarse.high[0] >= 5.0

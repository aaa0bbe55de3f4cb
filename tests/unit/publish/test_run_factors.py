"""What the machine did to all times of a run is taken out of trends, histories and the map."""

import numpy as np
from builders.observations import a_change
from builders.trees import a_benchmark, a_hash

from windtunnel.model.identity import BenchmarkName, BenchmarkVersion
from windtunnel.model.target import Target
from windtunnel.publish.run_factors import MIN_CASES, change_map, factors_data, run_factors
from windtunnel.publish.site_index import SiteCommit, _trend
from windtunnel.results.columns import CaseKey
from windtunnel.results.series_table import SeriesTable

DESK = Target(name="3.12", python="3.12", machine="desk", environment="virtualenv-py3.12")
RUNS = 20
COMMITS = [SiteCommit(hash=a_hash(at), commit=None, date=at, revision=at) for at in range(RUNS)]


def table_of(*series):
    """The table of *series*, each with a value for each commit."""
    cases = tuple(CaseKey(BenchmarkName(f"m.{at}"), BenchmarkVersion("1"), ()) for at in range(len(series)))
    value = np.array(series, float).ravel()
    column = np.repeat(np.arange(len(series), dtype=np.int32), RUNS)
    commit = np.tile(np.arange(RUNS, dtype=np.int32), len(series))
    nothing = np.full(len(value), np.nan)
    return SeriesTable(
        cases=cases, case=column, target=column * 0, commit=commit, value=value, low=nothing, high=nothing
    )


def factors_of(table, *changes, unit="seconds"):
    benchmarks = [a_benchmark(case.benchmark, unit=unit) for case in table.cases]
    return run_factors(table, benchmarks, changes, COMMITS, [DESK])


def shaken(cases=MIN_CASES):
    """Times that one slow run has 30 % longer, all alike."""
    machine = np.where(np.arange(RUNS) == 7, 1.3, 1.0)
    return [(at + 1) * machine for at in range(cases)]


def test_what_moves_all_times_of_a_run_is_its_factor():
    """Of times alone; with few cases nothing is taken out."""
    table = table_of(*shaken())
    factors = factors_of(table)
    assert np.allclose(factors[table.commit == 7], 1.3)
    assert np.allclose(factors[table.commit != 7], 1)
    assert np.allclose(factors_of(table, unit="bytes"), 1)
    assert np.allclose(factors_of(table_of(*shaken(MIN_CASES - 1))), 1)


def test_a_detected_change_is_not_the_machine_s():
    """Levels are between changes, so a change of one case moves no factor."""
    own = np.where(np.arange(RUNS) >= 10, 2.0, 1.0)
    table = table_of(*shaken(), own)
    assert np.allclose(factors_of(table, a_change(f"m.{MIN_CASES}", at=10))[table.commit != 7], 1)


def test_factors_are_stored_by_target_and_commit():
    """In ten-thousandths, those that differ from 1; nothing where none does."""
    table = table_of(*shaken())
    found = factors_data(table, factors_of(table))
    assert found is not None
    assert [(each.target, each.commits, each.factors) for each in found.targets] == [(0, (7,), (13000,))]
    assert factors_data(table, np.ones(len(table.case))) is None


def test_the_map_has_benchmarks_that_changed_lately():
    """Against the level before the change, without the machine, and 1 within the noise."""
    own = np.where(np.arange(RUNS) >= 10, 1.5, 1.0) * np.where(np.arange(RUNS) == 7, 1.3, 1.0)
    table = table_of(*shaken(), own)
    change = a_change(f"m.{MIN_CASES}", at=10)
    found = change_map(table, factors_of(table, change), [change], COMMITS)
    assert found is not None
    (row,) = found.rows
    assert (row.benchmark, row.more_is_worse, len(row.cells)) == (f"m.{MIN_CASES}", True, RUNS)
    assert row.cells[:10] == (1.0,) * 10
    assert row.cells[10:] == (1.5,) * 10
    better = a_change(f"m.{MIN_CASES}", at=10, direction="improved")
    assert [row.more_is_worse for row in change_map(table, np.ones(len(table.case)), [better], COMMITS).rows] == [False]
    assert change_map(table, np.ones(len(table.case)), [], COMMITS) is None


def test_a_trend_needs_values_and_is_zero_within_the_noise():
    """The noise is twice what neighbours differ by at the median, and at least 3 %."""
    assert _trend([1.0] * 5) is None
    assert _trend([1.0, 1.0, 1.0, 1.02, 1.02, 1.02]) == 0
    assert _trend([1.0, 1.3, 1.0, 1.3, 1.2, 1.5]) == 0
    assert round(_trend([1.0, 1.0, 1.0, 1.0, 1.5, 1.5, float("nan")]), 3) == 0.5

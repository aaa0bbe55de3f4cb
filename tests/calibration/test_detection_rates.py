"""The rates that docs/measurements/error-rates.md states of change detection, measured on seeded simulations.

``make test`` runs a reduced tier; WINDTUNNEL_CALIBRATION=full pytest tests/calibration -k detection runs all of it.
A bound is missed only when the count contradicts it at the 0.1 % level (one-sided binomial test).
"""

import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy
from builders.histories import a_history, a_history_tree, detect, histories, two_level_histories
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree

from windtunnel.model.benchmark import COUNTED_WITH, counting
from windtunnel.model.identity import Field
from windtunnel.model.run import Measured
from windtunnel.stats.level_shifts import SeriesObservations, find_shifts

COUNT = 5_000 if os.environ.get("WINDTUNNEL_CALIBRATION") == "full" else 500
DOUBT = 0.001
NEAR = 2
"""A step counts as found when it is placed within this many runs of the truth."""


def found(values):
    """Return the positions found in each series."""
    batch = [SeriesObservations(values=row, weights=np.ones(len(row)), least_noise=0.001) for row in values]
    return [[shift.position for shift in levels.shifts] for levels in find_shifts(batch)]


def at_most(count, rate):
    """Tell whether *count* of COUNT is compatible with a true rate of at most *rate*."""
    return scipy.stats.binom.sf(count - 1, COUNT, rate) > DOUBT


def at_least(count, rate):
    """Tell whether *count* of COUNT is compatible with a true rate of at least *rate*."""
    return scipy.stats.binom.cdf(count, COUNT, rate) > DOUBT


@pytest.mark.parametrize(("points", "tails", "rate"), [(200, False, 0.01), (200, True, 0.02), (30, True, 0.01)])
def test_series_without_a_change_are_left_alone(points, tails, rate):
    """At most 1 % of quiet series, and 2 % of series with outliers, show a change that is none."""
    false = sum(map(bool, found(histories(11, count=COUNT, points=points, tails=tails))))
    assert at_most(false, rate), false


@pytest.mark.parametrize(("points", "gap", "share"), [(200, 0.3, 0.5), (200, 0.15, 0.3), (600, 0.3, 0.1)])
def test_series_that_flip_between_two_levels_are_left_alone(points, gap, share):
    """At most 1 % of them show a change."""
    count = COUNT // 5
    false = sum(map(bool, found(two_level_histories(16, count=count, points=points, gap=gap, share=share))))
    assert scipy.stats.binom.sf(false - 1, count, 0.01) > DOUBT, false


@pytest.mark.parametrize(
    ("step", "after", "tails", "rate"),
    [
        (0.10, 3, False, 0.90),
        (-0.10, 3, False, 0.90),
        (0.10, 3, True, 0.80),
        (-0.10, 3, True, 0.80),
        (0.05, 8, False, 0.80),
        (-0.05, 8, False, 0.80),
    ],
)
def test_step_is_found_in_time(step, after, tails, rate):
    """10 % are found after three runs, 5 % after eight, as often as promised."""
    series = histories(12, count=COUNT, step=step, after=after, tails=tails)
    hits = sum(any(abs(p - (200 - after)) <= NEAR for p in row) for row in found(series))
    assert at_least(hits, rate), hits


def test_interval_of_a_change_holds_the_truth():
    """The 95 % interval of a step's size holds the true size in 95 % of the series."""
    held = total = 0
    series = histories(13, count=COUNT, step=0.10, after=60, tails=True)
    batch = [SeriesObservations(values=row, weights=np.ones(200), least_noise=0.001) for row in series]
    for levels in find_shifts(batch):
        for shift in levels.shifts:
            half = scipy.stats.t.ppf(0.975, shift.freedom) * shift.error
            held += abs(shift.after - shift.before - np.log(1.1)) <= half
            total += 1
    assert at_least(round(held * COUNT / total), 0.93), held / total


@pytest.mark.parametrize("tails", [False, True])
def test_publishing_after_every_commit_stays_quiet(tails):
    """Looked at after each of 200 commits, at most 10 % of series ever show a change that is none."""
    count = COUNT // 5
    series = histories(14, count=count, tails=tails)
    ever = np.zeros(count, dtype=bool)
    for points in range(10, 201, 1 if COUNT > 500 else 5):
        ever |= [bool(row) for row in found(series[:, :points])]
    assert scipy.stats.binom.sf(int(ever.sum()) - 1, count, 0.10) > DOUBT, ever.mean()


def test_slow_runners_cost_no_false_changes():
    """Where one run in four is 10 to 25 % off as a whole, the suite's own change is found and hardly anything else."""
    rng = np.random.default_rng(15)
    own = other = 0
    suites = COUNT // 100
    for seed in range(suites):
        logs = histories(100 + seed, count=40, points=150, tails=True)
        luck = np.where(rng.random(150) < 0.25, rng.choice([-0.25, -0.1, 0.12], 150), 0)
        logs += rng.normal(1, 0.3, (40, 1)) * luck
        logs[0, 90:] += np.log(1.1)
        tree = a_history_tree({f"m.time_{k:02}": np.exp(row) for k, row in enumerate(logs)})
        result = detect(tree, a_history(150))
        mine = [change for change in result.changes if change.benchmark == "m.time_00"]
        own += len(mine) == 1
        other += len(result.changes) - len(mine) + len(result.machine_shifts)
    assert own >= 0.8 * suites
    assert other <= 0.02 * 40 * suites


QUIET_COUNTS = 5e-4
"""The noise of counts of instructions, as a logarithm: more than most have."""
COUNTED = COUNT // 10


def a_tree_of_counts(step=0.0, after=0, other_python=0.0):
    """Counts of 200 runs whose code moves by some hundredths of a per cent; *other_python* is the spread of its levels.

    The last *after* runs are *step* higher. The other Python counts the second half, after twenty runs in turn.
    """
    rng = np.random.default_rng(16)
    logs = rng.normal(0, QUIET_COUNTS, (COUNTED, 200))
    logs += np.cumsum(np.where(rng.random(logs.shape) < 0.1, rng.normal(0, 2e-4, logs.shape), 0), axis=1)
    logs[:, 200 - after :] += np.log1p(step) if after else 0
    is_other = [other_python > 0 and (at >= 120 or (at >= 100 and at % 2 == 0)) for at in range(200)]
    logs += np.array(is_other) * rng.normal(0, other_python, (COUNTED, 1))
    benchmarks = [counting(a_benchmark(f"m.time_{number:03}")) for number in range(COUNTED)]
    runs = [
        a_run(*map(partial(a_count, f"Python {other}"), benchmarks, 1.5e6 * np.exp(column)), commit=commit)
        for commit, (other, column) in enumerate(zip(is_other, logs.T, strict=True))
    ]
    return a_tree(*runs, benchmarks=benchmarks)


def a_count(counter, benchmark, value):
    """The row of a count."""
    extra = (Field(name=COUNTED_WITH, json=f'"{counter}"'),)
    return replace(a_row(benchmark, Measured(value=float(value))), extra=extra)


@pytest.mark.parametrize("other_python", [0.0, 0.03])
def test_counts_without_a_change_are_left_alone(other_python):
    """Also where two Pythons whose counts differ by some per cent measure in turn."""
    changed = {
        change.benchmark for change in detect(a_tree_of_counts(other_python=other_python), a_history(200)).changes
    }
    assert scipy.stats.binom.sf(len(changed) - 1, COUNTED, 0.005) > DOUBT, len(changed)


@pytest.mark.parametrize(("step", "rate"), [(0.01, 0.98), (0.007, 0.95)])
def test_small_steps_of_counts_are_found_after_three_runs(step, rate):
    """Times need eight runs for a step of 5 %."""
    changes = detect(a_tree_of_counts(step=step, after=3), a_history(200)).changes
    hits = sum(change.commit == a_hash(197) for change in changes)
    assert scipy.stats.binom.cdf(hits, COUNTED, rate) > DOUBT, hits

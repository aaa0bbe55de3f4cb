"""Histories with a known truth: logarithms of times, as change detection sees them."""

import math

import numpy as np
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree

from windtunnel.detect import detection
from windtunnel.model.run import CommitHistory, DatedCommit, Failed, Measured
from windtunnel.model.settings import Settings
from windtunnel.results.columns import values_of

NOISE = 0.022
"""The median scatter of real histories on hosted runners."""


def histories(seed, *, count, points=200, step=0.0, after=0, tails=False):
    """Return *count* series of log-normal noise; the last *after* points are *step* (0.1: 10 %) higher.

    With *tails*, 5 % of the runs take longer by a factor of exp|N(0, 0.3)|.
    """
    rng = np.random.default_rng(seed)
    values = rng.normal(0, NOISE, (count, points))
    if tails:
        values += np.where(rng.random(values.shape) < 0.05, np.abs(rng.normal(0, 0.3, values.shape)), 0)
    if after:
        values[:, -after:] += np.log1p(step)
    return values


def two_level_histories(seed, *, count, points=200, gap=0.3, share=0.5, later=None, after=0, stay=1):
    """Return *count* series that flip by chance between two levels, *gap* apart, in the upper one in *share* of runs.

    In the last *after* runs, the share is *later*. The level is drawn anew after *stay* runs on average.
    """
    rng = np.random.default_rng(seed)
    shares = np.full(points, share)
    if after:
        shares[-after:] = later
    is_high = rng.random((count, points)) < shares
    if stay > 1:
        drawn = rng.random((count, points)) < 1 / stay
        drawn[:, 0] = True
        latest = np.maximum.accumulate(np.where(drawn, np.arange(points), 0), axis=1)
        is_high = np.take_along_axis(is_high, latest, axis=1)
    return rng.normal(0, NOISE, (count, points)) + np.log1p(gap) * is_high


def a_history(count, releases=()):
    """A branch of *count* commits, numbered from 0, a day apart."""
    return CommitHistory(
        commits=tuple(DatedCommit(hash=a_hash(number), date=1.7e9 + 86_400 * number) for number in range(count)),
        releases=tuple(releases),
    )


def a_history_tree(columns, *, machine="desk", commits=None, unit="seconds", **more):
    """A results tree with one benchmark a key of *columns*; its values are those of *commits* (default: 0, 1, …).

    NaN is a failure. *more* goes to ``a_run``.
    """
    benchmarks = {name: a_benchmark(name, unit=unit) for name in columns}
    count = len(next(iter(columns.values())))
    runs = [
        a_run(
            *(a_row(benchmarks[name], _result(values[index])) for name, values in columns.items()),
            commit=commit,
            machine=machine,
            **more,
        )
        for index, commit in enumerate(commits if commits is not None else range(count))
    ]
    return a_tree(*runs, benchmarks=tuple(benchmarks.values()))


def detect(tree, history, settings=None, builds=None):
    """The changes that detection finds in *tree*, with the default settings unless given."""
    return detection.detect(values_of(tree), history, settings or Settings(), builds=builds)


def _result(value):
    return Failed() if math.isnan(value) else Measured(value=float(value))

"""The whole procedure of a comparison on simulated processes: measure, analysis, stop, confirm, judge.

Every decision is the product's own (windtunnel.compare.significance); only the measuring is simulated.
"""

from dataclasses import dataclass

import numpy as np
from calibration import asv_rule
from calibration.noise import processes, statistic

from windtunnel.compare.effects import MIN_SPREAD, Effects, LevelChanges, find_level_changes
from windtunnel.compare.samples_format import SMALL_THRESHOLD, Rules
from windtunnel.compare.significance import (
    analysis_levels,
    compute_intervals,
    confirming_alpha,
    decide_cases,
    screening_intervals,
)
from windtunnel.stats.paired_differences import estimate

CASES = 150
THRESHOLD = 0.05
AT_ONCE = 50
"""Comparisons simulated together; more need more memory and save no time."""

ASV_FACTORS = (1.0, 1.05, 1.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of each case: shape (comparisons, cases) each; *asv* has one more axis in front, by factor.

    *missed*: the interval does not hold the true change; *alpha*: how often it may, over all looks; *two_levels*: the
    case was taken for one with two levels.
    """

    alarm: np.ndarray
    significant: np.ndarray
    inconclusive: np.ndarray
    suspect: np.ndarray
    missed: np.ndarray
    alpha: np.ndarray
    rounds: np.ndarray
    two_levels: np.ndarray
    asv: np.ndarray


def compare(noise, rng, *, comparisons, changes, rules=None, threshold=THRESHOLD, early=0, pooled=None):
    """Simulate *comparisons* of one suite whose cases change by *changes* (shares, one a case).

    The screening of *pooled* cases ends after a number of rounds, one a case, whatever their values: those whose counts
    are equal share a part of the time. With *early*, suspects are confirmed when the cases have had so many rounds, and
    then screening goes on.
    """
    at_once = AT_ONCE if threshold > SMALL_THRESHOLD else AT_ONCE // 5
    sizes = [min(at_once, comparisons - start) for start in range(0, comparisons, at_once)]
    parts = [_some(noise, rng, size, np.asarray(changes), rules or Rules(), threshold, early, pooled) for size in sizes]
    return Outcome(
        asv=np.concatenate([part.asv for part in parts], axis=1),
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in Outcome.__dataclass_fields__
            if name != "asv"
        },
    )


def _some(noise, rng, comparisons, changes, rules, threshold, early, pooled):
    shape, true = (comparisons, changes.size), np.tile(np.log1p(changes), comparisons)
    limits = np.full(true.size, np.log1p(threshold))
    first = processes(noise, rng, cases=true.size, rounds=rules.screening.analyses(threshold)[-1], changes=true)
    alpha = analysis_levels(limits, rules.screening)
    seen = statistic(first)
    if pooled is not None:
        kept = np.arange(seen.shape[1]) < np.tile(pooled, comparisons)[:, None]
        seen = only(seen, kept)
    screening = until_decided(seen, rules.screening, alpha, limits)
    suspect = screening_intervals(screening, rules.screening).direction.reshape(shape) != 0
    fresh = processes(noise, rng, cases=true.size, rounds=rules.confirmation.analyses(threshold)[-1], changes=true)
    begun = np.zeros(true.size)
    if early:
        known = np.arange(early) < screening.estimates.count[:, None]
        at_limit = effects_of(only(statistic(first)[:, :early], known), limits)
        suspected = screening_intervals(at_limit, rules.screening).direction.reshape(shape) != 0
        stopped = until_decided(statistic(fresh), rules.confirmation, of_suspects(suspected, limits, rules), limits)
        begun = np.where(suspected.ravel(), stopped.estimates.count, 0)
    alpha = of_suspects(suspect, limits, rules)
    confirmation = until_decided(statistic(fresh), rules.confirmation, alpha, limits, begun)
    found = [decide_cases(one, two, rules) for one, two in each(shape, screening, confirmation)]
    lower, upper, inside, alpha = (
        np.stack([getattr(one.intervals, name) for one in found]) for name in ("lower", "upper", "inside", "alpha")
    )
    significant, truth = np.stack([one.significant for one in found]), true.reshape(shape)
    analyses = np.where(suspect, len(rules.confirmation.analyses(threshold)), len(rules.screening.analyses(threshold)))
    rounds, more = (one.estimates.count.reshape(shape) for one in (screening, confirmation))
    return Outcome(
        alarm=significant & ~inside,
        significant=significant,
        inconclusive=~significant & ~inside,
        suspect=suspect,
        missed=(truth < lower) | (truth > upper),
        alpha=alpha * analyses,
        rounds=rounds + np.where(suspect, more, 0),
        two_levels=np.stack([one.levels.found for one in found]),
        asv=by_asv(first[:, : rules.screening.interim_analyses[0]], rng, shape),
    )


def of_suspects(suspect, limits, rules):
    """Return the error rate at which measuring each case may stop, by the number of suspects of its comparison."""
    cases = suspect.shape[1]
    alpha = [confirming_alpha(int(count), limits[:cases], rules.confirmation) for count in suspect.sum(axis=1)]
    return np.concatenate(alpha)


def until_decided(values, rules, alpha, limits, begun=0):
    """Return the effects of each case at the first analysis after which measuring ends; *begun* rounds are over.

    *values* has shape (cases, rounds, 2 sides): what stands for each process.
    """
    last = rules.analyses(limits[0])[-1]
    count, undecided = np.full(len(values), last), np.arange(len(values))
    for analysis in rules.analyses(limits[0]):
        where = compute_intervals(effects_of(values[undecided, :analysis], limits[undecided]), alpha[undecided])
        over = where.finished(rules, patient=rules.timed) & (analysis >= np.broadcast_to(begun, count.shape)[undecided])
        count[undecided[over]] = analysis
        undecided = undecided[~over]
    measured = np.arange(last) < count[:, None]
    return effects_of(only(values[:, :last], measured), limits)


def only(values, known):
    """Return *values* with NaN in the rounds, shape (cases, rounds), that are not *known*."""
    return np.where(known.reshape(known.shape + (1,) * (values.ndim - 2)), values, np.nan)


def each(shape, *many):
    """Yield the effects of one comparison after the other, of all of *many* at once."""
    index = np.arange(shape[0] * shape[1]).reshape(shape)
    for row in index:
        yield tuple(part_of(one, row) for one in many)


def part_of(effects, row):
    """Return the effects of some cases."""
    levels = effects.levels
    return Effects(
        estimates=effects.estimates.of(row),
        thresholds=effects.thresholds[row],
        levels=LevelChanges(
            found=levels.found[row],
            estimates=levels.estimates.of(row),
            distance=levels.distance[row],
            on_upper=levels.on_upper[row],
        ),
    )


def effects_of(values, limits):
    """Return the effects of *values*, shape (cases, rounds, 2 sides), with the thresholds *limits*.

    A further axis of two has each value and the same in loops.
    """
    plain, looped = (values[..., 0], values[..., 1]) if values.ndim == 4 else (values, values)
    differences, in_loops = plain[..., 1] - plain[..., 0], looped[..., 1] - looped[..., 0]
    speeds = differences - in_loops if values.ndim == 4 else None
    return Effects(
        estimates=estimate(differences, MIN_SPREAD),
        thresholds=limits,
        levels=find_level_changes(looped[..., 0], looped[..., 1], limits, MIN_SPREAD, speeds),
    )


def by_asv(values, rng, shape):
    """Return what asv says of the first analysis's values, by factor; ties are broken at random."""
    values = values[..., 0] if values.ndim == 5 else values
    values = values + rng.normal(0, 1e-9, values.shape)
    before, after = (values[:, :, side].reshape(len(values), -1) for side in (0, 1))
    return asv_rule.alarms(before, after, ASV_FACTORS).reshape(-1, *shape)


def coverage(noise, rng, *, rounds, alpha, cases=20_000):
    """Return how often the interval of that many rounds misses a true change of 3 %, without any selection."""
    true = np.log1p(0.03)
    values = statistic(processes(noise, rng, cases=cases, rounds=rounds, changes=np.full(cases, true)))
    effects = effects_of(values, np.full(cases, np.log1p(THRESHOLD)))
    where = compute_intervals(effects, np.full(cases, alpha))
    return float(((true < where.lower) | (true > where.upper)).mean())

"""The whole procedure of a comparison on simulated processes: measure, analysis, stop, confirm, judge.

Every decision is the product's own (windtunnel.compare.significance); only the measuring is simulated.
"""

from dataclasses import dataclass

import numpy as np
from calibration import asv_rule
from calibration.noise import processes, statistic

from windtunnel.compare.effects import MIN_SPREAD, Effects
from windtunnel.compare.samples_format import Rules
from windtunnel.compare.significance import compute_intervals, confirming_alpha, decide_cases, screening_intervals
from windtunnel.stats.multiple_testing import level_per_analysis
from windtunnel.stats.paired_differences import estimate

CASES = 150
THRESHOLD = np.log1p(0.05)
AT_ONCE = 50
"""Comparisons simulated together; more need more memory and save no time."""

ASV_FACTORS = (1.0, 1.05, 1.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of each case: shape (comparisons, cases) each; *asv* has one more axis in front, by factor.

    *missed*: the interval does not hold the true change; *alpha*: how often it may, over all looks.
    """

    alarm: np.ndarray
    significant: np.ndarray
    inconclusive: np.ndarray
    suspect: np.ndarray
    missed: np.ndarray
    alpha: np.ndarray
    rounds: np.ndarray
    asv: np.ndarray


def compare(noise, rng, *, comparisons, changes, rules=None):
    """Simulate *comparisons* of one suite whose cases change by *changes* (shares, one a case)."""
    sizes = [min(AT_ONCE, comparisons - start) for start in range(0, comparisons, AT_ONCE)]
    parts = [_some(noise, rng, size, np.asarray(changes), rules or Rules()) for size in sizes]
    return Outcome(
        asv=np.concatenate([part.asv for part in parts], axis=1),
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in Outcome.__dataclass_fields__
            if name != "asv"
        },
    )


def _some(noise, rng, comparisons, changes, rules):
    shape, true = (comparisons, changes.size), np.tile(np.log1p(changes), comparisons)
    first = processes(noise, rng, cases=true.size, rounds=rules.screening.interim_analyses[-1], changes=true)
    alpha = np.full(true.size, level_per_analysis(rules.screening.error, rules.screening.interim_analyses))
    screening = until_decided(differences(first), rules.screening.interim_analyses, alpha)
    suspect = screening_intervals(effects_of(screening), rules.screening).direction.reshape(shape) != 0
    fresh = processes(noise, rng, cases=true.size, rounds=rules.confirmation.interim_analyses[-1], changes=true)
    alpha = [confirming_alpha(int(count), rules.confirmation) for count in suspect.sum(axis=1)]
    confirmation = until_decided(
        differences(fresh), rules.confirmation.interim_analyses, np.repeat(alpha, changes.size)
    )
    found = [decide_cases(effects_of(one), effects_of(two), rules) for one, two in each(shape, screening, confirmation)]
    lower, upper, inside, alpha = (
        np.stack([getattr(one.intervals, name) for one in found]) for name in ("lower", "upper", "inside", "alpha")
    )
    significant, truth = np.stack([one.significant for one in found]), true.reshape(shape)
    interim_analyses = np.where(
        suspect, len(rules.confirmation.interim_analyses), len(rules.screening.interim_analyses)
    )
    return Outcome(
        alarm=significant & ~inside,
        significant=significant,
        inconclusive=~significant & ~inside,
        suspect=suspect,
        missed=(truth < lower) | (truth > upper),
        alpha=alpha * interim_analyses,
        rounds=screening.count.reshape(shape) + np.where(suspect, confirmation.count.reshape(shape), 0),
        asv=by_asv(first[:, : rules.screening.interim_analyses[0]], rng, shape),
    )


def differences(values):
    """Return contender minus baseline of each round, by the value that stands for a process."""
    single = statistic(values)
    return single[..., 1] - single[..., 0]


def until_decided(rounds, interim_analyses, alpha):
    """Return the estimates of each case at the first of *interim_analyses* after which measuring ends."""
    count, undecided = np.full(len(rounds), interim_analyses[-1]), np.arange(len(rounds))
    for analysis in interim_analyses:
        now = estimate(rounds[undecided, :analysis], MIN_SPREAD)
        where = compute_intervals(now, alpha[undecided], np.full(undecided.size, THRESHOLD))
        over = where.finished(interim_analyses)
        count[undecided[over]] = analysis
        undecided = undecided[~over]
    return estimate(np.where(np.arange(interim_analyses[-1]) < count[:, None], rounds, np.nan), MIN_SPREAD)


def each(shape, *many):
    """Yield the estimates of one comparison after the other, of all of *many* at once."""
    index = np.arange(shape[0] * shape[1]).reshape(shape)
    for row in index:
        yield tuple(one.of(row) for one in many)


def effects_of(estimates):
    """Return *estimates* with the usual threshold."""
    return Effects(estimates=estimates, thresholds=np.full(estimates.mean.size, THRESHOLD))


def by_asv(values, rng, shape):
    """Return what asv says of the first analysis's values, by factor; ties are broken at random."""
    values = values + rng.normal(0, 1e-9, values.shape)
    before, after = (values[:, :, side].reshape(len(values), -1) for side in (0, 1))
    return np.stack([asv_rule.alarms(before, after, factor).reshape(shape) for factor in ASV_FACTORS])


def coverage(noise, rng, *, rounds, alpha, cases=20_000):
    """Return how often the interval of that many rounds misses a true change of 3 %, without any selection."""
    true = np.log1p(0.03)
    values = processes(noise, rng, cases=cases, rounds=rounds, changes=np.full(cases, true))
    where = compute_intervals(
        estimate(differences(values), MIN_SPREAD), np.full(cases, alpha), np.full(cases, THRESHOLD)
    )
    return float(((true < where.lower) | (true > where.upper)).mean())

"""The error rates that measurements/error-rates.md states, in reduced size; calibration/tables.py has the full one."""

import numpy as np
import pytest
import scipy
from asv import _stats
from builders.samples import stage_samples_of
from calibration import asv_rule
from calibration.comparison import CASES, compare, coverage
from calibration.noise import HARD, LEVELS, SHARED

from windtunnel.compare.decide import find_control_change
from windtunnel.compare.format import Reach
from windtunnel.compare.samples_format import PairedSamples, Rules
from windtunnel.model.benchmark import CaseIdentity
from windtunnel.model.schedule import STAGES

SURE = 1e-6
"""Chance that a test here fails although the rate it guards is what the docs say."""

COMPARISONS = 60
CHANGES = (0.03, 0.05, 0.10)


def seeded():
    return np.random.default_rng(20261121)


def names(noise):
    return noise.name


@pytest.mark.parametrize("noise", [*LEVELS, *HARD, *SHARED], ids=names)
def test_comparisons_without_a_change_rarely_raise_an_alarm(noise):
    """At most one comparison of 150 cases in a hundred does, for any noise."""
    out = compare(noise, seeded(), comparisons=COMPARISONS, changes=np.zeros(CASES))
    assert (out.alarm | out.significant).any(axis=1).sum() <= scipy.stats.binom.isf(SURE, COMPARISONS, 0.01)


@pytest.mark.parametrize("early", [4, 9])
def test_an_early_confirmation_raises_no_more_alarms(early):
    """At 70 % of the time limit suspects are confirmed, also between two analyses, and then screening goes on."""
    out = compare(LEVELS[2], seeded(), comparisons=COMPARISONS, changes=np.zeros(CASES), early=early)
    assert (out.alarm | out.significant).any(axis=1).sum() <= scipy.stats.binom.isf(SURE, COMPARISONS, 0.01)


@pytest.mark.parametrize("noise", [LEVELS[3], HARD[0], *SHARED], ids=names)
def test_all_the_time_raises_no_more_alarms_and_leaves_little_open(noise):
    """With a time limit, cases that stay open go on to 270 rounds, after the suspects of the first 24 are confirmed."""
    changes = np.array([0.05, 0.10, *np.zeros(28)])
    out = compare(noise, seeded(), comparisons=COMPARISONS, changes=changes, rules=Rules().timed(), early=24)
    assert (out.alarm | out.significant)[:, 2:].any(axis=1).sum() <= scipy.stats.binom.isf(SURE, COMPARISONS, 0.01)
    assert out.inconclusive.mean() <= 0.01
    assert out.alarm[:, 0].sum() >= scipy.stats.binom.ppf(SURE, COMPARISONS, 0.9)
    assert out.alarm[:, 1].sum() >= scipy.stats.binom.ppf(SURE, COMPARISONS, 0.99)


def pooled_by_counts():
    """Rounds of each case: two thirds have equal counts and get 1 to 24 rounds, by the clock; others have all."""
    rounds = seeded().integers(1, 25, CASES)
    rounds[::3] = 24
    return rounds


@pytest.mark.parametrize("early", [0, 4])
def test_choosing_by_counts_raises_no_more_alarms(early):
    """Counts say nothing of the times of equal code, and the clock ends screening, not the values."""
    pooled = pooled_by_counts()
    out = compare(LEVELS[2], seeded(), comparisons=COMPARISONS, changes=np.zeros(CASES), early=early, pooled=pooled)
    assert (out.alarm | out.significant).any(axis=1).sum() <= scipy.stats.binom.isf(SURE, COMPARISONS, 0.01)
    assert out.rounds[:, pooled < 4].max() < 4 + 30 + 1
    assert (out.missed & (out.rounds >= 4)).sum() <= scipy.stats.binom.isf(SURE, out.missed.size, 0.05)


def test_choosing_by_counts_finds_what_the_counts_show():
    """A case that executes 10 % more is timed as long as without a choice, so it is found as often."""
    changes = np.array([0.10, *np.zeros(CASES - 1)])
    out = compare(LEVELS[2], seeded(), comparisons=COMPARISONS, changes=changes, pooled=pooled_by_counts())
    assert out.alarm[:, 0].sum() >= scipy.stats.binom.ppf(SURE, COMPARISONS, 0.95)


def test_a_control_that_did_not_move_rarely_discards_a_comparison():
    """At most one in a thousand, with few cases and few rounds, where rounds move all cases together."""
    rng, discarded, many = seeded(), 0, 1500
    guard = tuple(CaseIdentity(benchmark=f"t{number}") for number in range(3))
    for _ in range(many):
        together = rng.normal(0, 0.03, 8)
        samples = []
        for one in guard:
            before = np.exp(rng.normal(0, 0.01, 8))
            stages = tuple(stage_samples_of(before, before * np.exp(together), stage=stage) for stage in STAGES)
            samples.append(PairedSamples(benchmark=one.benchmark, stage_samples=stages))
        discarded += find_control_change(Reach(cases=9, guard=guard), samples) is not None
    assert discarded <= scipy.stats.binom.isf(SURE, many, 0.001)


def test_the_simulation_can_raise_alarms():
    """Negative control: asv's test raises alarms in most comparisons, and so does this one at a lax level."""
    out = compare(LEVELS[2], seeded(), comparisons=20, changes=np.zeros(CASES))
    assert out.asv[0].any(axis=1).mean() > 0.5
    assert out.suspect.any(axis=1).mean() > 0.5


@pytest.mark.parametrize("early", [0, 4])
def test_changes_are_found(early):
    """Default rounds, 1 % between processes on 1 % within: 3, 5 and 10 % in at least 50, 80 and 95 % of comparisons."""
    changes = np.array([*CHANGES, *np.zeros(CASES - len(CHANGES))])
    out = compare(LEVELS[2], seeded(), comparisons=COMPARISONS, changes=changes, early=early)
    found = out.alarm[:, : len(CHANGES)].sum(axis=0)
    for count, promised in zip(found, (0.5, 0.8, 0.95), strict=True):
        assert count >= scipy.stats.binom.ppf(SURE, COMPARISONS, promised)


def test_cases_with_two_levels_are_decided():
    """At most 20 % of unchanged cases stay undecided, and a change of 5 % is found in 80 %; levels 15 % apart."""
    changes = np.array([0.05, -0.05, *np.zeros(CASES - 2)])
    out = compare(HARD[2], seeded(), comparisons=12, changes=changes)
    assert out.inconclusive[:, 2:].mean() <= 0.2
    assert out.alarm[:, :2].sum() >= scipy.stats.binom.ppf(SURE, 24, 0.8)


def test_a_threshold_of_one_per_cent_finds_changes_of_one_per_cent():
    """In 80 % of comparisons, without more false alarms."""
    changes = np.array([*np.full(3, 0.01), *np.full(3, -0.01), *np.zeros(CASES - 6)])
    out = compare(LEVELS[2], seeded(), comparisons=6, changes=changes, threshold=0.01)
    assert out.alarm[:, :6].sum() >= scipy.stats.binom.ppf(SURE, 36, 0.8)
    assert out.alarm[:, 6:].any(axis=1).sum() <= scipy.stats.binom.isf(SURE, 6, 0.01)
    assert out.rounds.max() <= 80 + 96


def test_intervals_of_found_changes_contain_the_true_change():
    """They miss it as often as stated, after selection and stopping."""
    changes = np.array([*np.full(10, 0.05), *np.full(10, 0.10), *np.zeros(CASES - 20)])
    out = compare(LEVELS[3], seeded(), comparisons=COMPARISONS, changes=changes)
    missed, claimed = out.missed[:, :20], out.alpha[:, :20].mean()
    assert missed.sum() <= scipy.stats.binom.isf(SURE, missed.size, claimed)


@pytest.mark.parametrize("rounds", [4, 8, 15, 30])
@pytest.mark.parametrize("noise", [*LEVELS, *HARD[:-1], *SHARED], ids=names)
def test_a_single_interval_misses_at_its_stated_rate(noise, rounds):
    """A clock that is coarser than effects.MIN_SPREAD is the documented exception."""
    cases = 4000
    assert (
        coverage(noise, seeded(), rounds=rounds, alpha=0.01, cases=cases)
        <= scipy.stats.binom.isf(SURE, cases, 0.01) / cases
    )


@pytest.mark.parametrize("size", [6, 12, 24])
def test_the_simulated_rule_of_asv_agrees_with_asv(size):
    """The rates beside ours are those of asv on the same samples."""
    rng = seeded()
    before, after = rng.normal(0, 1, (60, size)), rng.normal(0.8, 1, (60, size))
    nothing = {"ci_99_a": -np.inf, "ci_99_b": np.inf}
    wanted = [_stats.is_different(list(a), list(b), nothing, nothing) for a, b in zip(before, after, strict=True)]
    assert asv_rule.different(before, after).tolist() == wanted

"""A test is decided at the first analysis that decides, as if it had been measured only until then."""

import math

import numpy as np
import pytest
from builders.claim_blocks import ratios

from windtunnel_claims.claim import Band
from windtunnel_claims.format import Decision
from windtunnel_claims.replay import ReplayRule, analyse_all, replay, replay_all

ANALYSES = (4, 6, 10, 16, 24)
FIVE_PERCENT = Band(low=1 / 1.05, high=1.05)


def a_replay(values, band=FIVE_PERCENT, **rule):
    """What the ratios *values* decide."""
    return replay([*map(math.log, values)], ReplayRule(analyses=ANALYSES, error=0.01, band=band, **rule))


@pytest.mark.parametrize(("centre", "decision"), [(1.0, Decision.HOLDS), (1.2, Decision.FAILS), (0.8, Decision.FAILS)])
def test_a_clear_ratio_is_decided_at_the_first_analysis(centre, decision):
    """Four blocks with little noise decide."""
    found = a_replay(ratios(centre, 4))
    assert (found.decision, found.is_final, found.blocks, found.next_analysis) == (decision, True, 4, None)
    assert found.ratio == pytest.approx(centre)
    assert found.interval.low < centre < found.interval.high
    assert found.p_value < 0.025


def test_blocks_after_the_decision_do_not_count():
    """Otherwise a decision could be changed by measuring on."""
    assert a_replay([*ratios(1.0, 4), *[5.0] * 20]) == a_replay(ratios(1.0, 4))


@pytest.mark.parametrize(("blocks", "following"), [(0, 4), (3, 4)])
def test_nothing_is_stated_before_the_first_analysis(blocks, following):
    """An interval outside an analysis would be a further one."""
    found = a_replay(ratios(1.0, blocks))
    assert (found.is_final, found.next_analysis, found.blocks, found.ratio) == (False, following, 0, None)


def test_between_analyses_the_last_one_stands():
    """Five blocks show what four do."""
    wide = ratios(1.04, 5, spread=0.01)
    assert a_replay(wide) == a_replay(wide[:4])
    assert (a_replay(wide).decision, a_replay(wide).next_analysis) == (Decision.UNDECIDED, 6)


def test_a_ratio_at_an_end_is_about_at_the_limit():
    """From the third analysis on, more blocks would not tell on which side it lies."""
    at_end = ratios(1.05, 24, spread=0.01)
    assert a_replay(at_end[:6]).is_final is False
    found = a_replay(at_end)
    assert (found.decision, found.blocks, found.is_final) == (Decision.ABOUT, 10, True)


def test_tests_are_replayed_together_as_alone():
    """Simulations decide many tests at once."""
    rows = [ratios(centre, 24, spread) for centre in (1.0, 1.04, 1.05, 1.2) for spread in (0.003, 0.03, 0.1)]
    together = replay_all(np.log(rows), ReplayRule(analyses=ANALYSES, error=0.01, band=FIVE_PERCENT, tests=3))
    assert together == [a_replay(row, tests=3) for row in rows]
    assert len({(each.decision, each.blocks) for each in together}) > 4


def test_the_last_analysis_is_final():
    """The maximum is fixed beforehand."""
    noisy = ratios(1.0, 24, spread=0.083)
    found = [a_replay(noisy[:blocks]) for blocks in (16, 24)]
    assert [each.is_final for each in found] == [False, True]
    assert found[1].blocks == 24


@pytest.mark.parametrize("centre", [1.0002, 0.985, 1.015])
def test_a_ratio_in_the_zone_neither_holds_nor_fails(centre):
    """What is claimed makes no such difference."""
    assert a_replay(ratios(centre, 24, spread=0.003), Band(low=1.0), zone=0.02).decision is Decision.ABOUT
    assert a_replay(ratios(1.05, 24, spread=0.003), Band(low=1.0), zone=0.02).decision is Decision.HOLDS
    assert a_replay(ratios(0.95, 24, spread=0.003), Band(low=1.0), zone=0.02).decision is Decision.FAILS


def test_both_ends_belong_to_a_band_and_a_single_one_does_not():
    """A ratio of exactly 1 is between 1 and 2, but neither above nor below 1."""
    exactly = [1.0] * 4
    found = [a_replay(exactly, band).decision for band in (Band(low=1.0, high=2.0), Band(high=1.0), Band(low=1.0))]
    assert found == [Decision.HOLDS, Decision.FAILS, Decision.FAILS]


def test_tests_of_a_claim_share_the_error_of_failing_only():
    """A claim holds if all its tests hold, which needs no correction; it fails if any does, which needs one."""
    for centre in (1.0, 1.2):
        one, three = (a_replay(ratios(centre, 4, spread=0.005), tests=tests) for tests in (1, 3))
        wider = (three.interval.high - three.interval.low) / (one.interval.high - one.interval.low)
        assert (wider > 1) is (centre == 1.2)
        assert (three.p_value > one.p_value) is (centre == 1.2)


def test_differences_have_a_smallest_spread():
    """Clocks agree no better, however alike four blocks are."""
    same = [1.0] * 4
    plain, floored = (a_replay(same, floor=floor) for floor in (0.0, 0.0014))
    assert plain.interval.low == plain.interval.high == 1.0
    assert floored.interval.high > 1.003


def test_all_blocks_can_be_analysed_at_once():
    """A control is no sequence of analyses."""
    rule = ReplayRule(analyses=ANALYSES, error=0.01, band=FIVE_PERCENT)
    found = analyse_all([*map(math.log, ratios(1.2, 7))], rule)
    assert (found.decision, found.blocks) == (Decision.FAILS, 7)
    assert analyse_all([], rule).blocks == 0

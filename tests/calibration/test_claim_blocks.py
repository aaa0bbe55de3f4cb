"""The rate of wrong decisions on claims in blocks, from few simulations; docs/measurements/error-rates.md has all."""

import pytest
from calibration.claim_blocks import (
    HEAVY,
    LATE,
    NOISES,
    NORMAL,
    Noise,
    crossings,
    decided,
    false_discoveries,
    wrong,
    wrong_over_days,
)

TRIALS = 400
LUCK = 3 * (0.025 * 0.975 / TRIALS) ** 0.5
"""Three standard errors of a rate of 2.5 %."""


@pytest.mark.parametrize(
    ("noise", "tests", "zone"),
    [
        *((noise, 1, 0.0) for noise in (*NORMAL, HEAVY[2], LATE[0])),
        (NORMAL[0], 1, 0.02),
        (NORMAL[2], 1, 0.02),
        (NORMAL[2], 3, 0.0),
    ],
    ids=lambda given: given.name if isinstance(given, Noise) else None,
)
def test_wrong_decisions_are_rare_at_each_end_of_the_band(noise, tests, zone):
    """At most 2.5 % of claims hold wrongly, and at most 2.5 % fail wrongly, up to a noise of 10 %."""
    for rate in wrong(noise, TRIALS, tests=tests, zone=zone):
        assert rate <= 0.025 + LUCK


def test_the_error_is_used():
    """A rate of zero would mean that more blocks are measured than needed."""
    assert min(wrong(NORMAL[1], TRIALS)) > 0.005


@pytest.mark.parametrize(
    ("noise", "distance", "blocks"), [(NORMAL[0], 0.12, 5), (NORMAL[1], 0.15, 5), (NORMAL[2], 0.3, 11)]
)
def test_ratios_away_from_an_end_are_decided(noise, distance, blocks):
    """Four blocks mostly do at 1 %, and the analyses at 3 % and 10 % need few more."""
    for inside in (True, False):
        share, mean = decided(noise, distance, TRIALS, inside=inside)
        assert share > 0.95
        assert mean < blocks


@pytest.mark.parametrize("zone", [0.0, 0.02])
def test_ratios_at_an_end_neither_hold_nor_fail(zone):
    """More than ten blocks are not measured for them, because days decide."""
    share, blocks = decided(NORMAL[0], 0.0, TRIALS, zone=zone)
    assert share < 0.05
    assert blocks <= 10


@pytest.mark.parametrize("session", [0.01, 0.02])
def test_sessions_that_differ_do_not_make_ratios_at_an_end_hold(session):
    """Their blocks agree with each other, so a single session would decide up to a third of them wrongly."""
    one, three = (wrong_over_days(NORMAL[0], TRIALS, days=days, session=session) for days in (1, 3))
    assert one <= 0.01
    assert three <= 0.025 + LUCK


@pytest.mark.parametrize("share", [0.05, 0.1])
def test_blocks_in_which_only_the_contender_is_late_do_not_make_it_hold(share):
    """Four blocks usually show none of them, so days decide; a tail needs the last analysis on each of three."""
    few, many = (wrong_over_days(NORMAL[0], TRIALS, days=3, one_sided=share, count=count) for count in (4, 24))
    assert wrong_over_days(NORMAL[0], TRIALS, days=1, one_sided=share) <= 0.01
    assert few > 0.2
    assert many <= 0.04 + LUCK


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_crossing_is_rarely_outside_its_interval(place):
    """The contender takes exactly as long at one value of a series of four, less beyond, and more before."""
    missed, found = crossings(NORMAL[1], TRIALS, place)
    assert missed <= 0.05 + 3 * (0.05 * 0.95 / TRIALS) ** 0.5
    assert found > 0.9


@pytest.mark.parametrize("at_ends", [0.1, 0.5, 1.0])
def test_few_decisions_of_a_board_are_wrong(at_ends):
    """At most 5 % of the decisions of a board; without the control a third, if all ratios lie at an end."""
    without, controlled = false_discoveries(NORMAL[1], at_ends, 40)
    assert controlled <= 0.05 + 0.03
    assert (without > 0.2) is (at_ends == 1.0)


def test_every_kind_of_noise_has_a_row():
    """The study shows normal noise, heavy tails and late visits at 1, 3 and 10 %."""
    assert [(noise.spread, bool(noise.tails), bool(noise.late)) for noise in NOISES] == [
        (share, tails, late)
        for tails, late in ((False, False), (True, False), (False, True))
        for share in (0.01, 0.03, 0.1)
    ]

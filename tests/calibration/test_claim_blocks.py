"""The rate of wrong decisions on claims in blocks, from few simulations; docs/measurements/error-rates.md has all."""

import pytest
from calibration.claim_blocks import HEAVY, LATE, NOISES, NORMAL, Noise, decided, false_discoveries, wrong

TRIALS = 400
LUCK = 3 * (0.025 * 0.975 / TRIALS) ** 0.5
"""Three standard errors of a rate of 2.5 %."""


@pytest.mark.parametrize(
    ("noise", "tests", "indifference"),
    [
        *((noise, 1, 0.0) for noise in (*NORMAL, HEAVY[2], LATE[0])),
        (NORMAL[0], 1, 0.02),
        (NORMAL[2], 1, 0.02),
        (NORMAL[2], 3, 0.0),
    ],
    ids=lambda given: given.name if isinstance(given, Noise) else None,
)
def test_wrong_decisions_are_rare_at_each_end_of_the_band(noise, tests, indifference):
    """At most 2.5 % of claims hold wrongly, and at most 2.5 % fail wrongly, up to a noise of 10 %."""
    for rate in wrong(noise, TRIALS, tests=tests, indifference=indifference):
        assert rate <= 0.025 + LUCK


def test_the_error_is_used():
    """A rate of zero would mean that more blocks are measured than needed."""
    assert min(wrong(NORMAL[1], TRIALS)) > 0.005


@pytest.mark.parametrize(
    ("noise", "distance", "blocks"), [(NORMAL[0], 0.05, 5), (NORMAL[1], 0.05, 12), (NORMAL[2], 0.2, 11)]
)
def test_ratios_away_from_an_end_are_decided(noise, distance, blocks):
    """Four blocks mostly do at 1 %, and the analyses at 3 % and 10 % need few more."""
    for inside in (True, False):
        share, mean = decided(noise, distance, TRIALS, inside=inside)
        assert share > 0.95
        assert mean < blocks


def test_indifference_decides_ratios_at_an_end():
    """Without it, such a ratio is never decided, however many blocks are measured."""
    assert decided(NORMAL[0], 0.0, TRIALS)[0] < 0.05
    assert decided(NORMAL[0], 0.0, TRIALS, indifference=0.02)[0] > 0.95


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

"""The rate of wrong decisions on claims that are measured in blocks, by simulation of blocks with a known ratio.

make study ARGS="studies.claim_error_rates"       # the tables of docs/measurements/error-rates.md
"""

from dataclasses import dataclass

import numpy as np

from windtunnel.stats.paired_differences import benjamini_hochberg
from windtunnel_claims.claim import Band
from windtunnel_claims.claims_file import Measuring
from windtunnel_claims.decide import FALSE_DISCOVERY_RATE
from windtunnel_claims.format import Decision
from windtunnel_claims.replay import ReplayRule, replay_all

BAND = Band(low=1 / 1.25, high=1.25)
ANALYSES, ERROR = Measuring().analyses, Measuring().error
FLOOR = 0.0014
"""The floor of a ratio of two times, as in ``windtunnel_claims.block_values``."""
JUST = 1 + 1e-9
"""How far a ratio lies beyond an end of a band, so that one decision is wrong."""
CLEAR = 1.0
"""A ratio in the middle of the band."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How the logarithm of the ratio differs between blocks: normal, or Student's t for heavy tails."""

    name: str
    spread: float
    """The standard deviation; the scale of Student's t."""
    tails: int = 0
    """The degrees of freedom of Student's t; 0 for normal noise."""
    late: float = 0.0
    """The mean of the exponential by which one visit in ten is late."""


NORMAL = tuple(Noise(name=f"normal, {share} %", spread=share / 100) for share in (1, 3, 10))
HEAVY = tuple(Noise(name=f"heavy tails, {share} %", spread=share / 100, tails=3) for share in (1, 3, 10))
LATE = tuple(Noise(name=f"normal, {share} %, late visits", spread=share / 100, late=0.3) for share in (1, 3, 10))
NOISES = (*NORMAL, *HEAVY, *LATE)


def simulated(noise, generator, ratio, trials):
    """The logarithm of the ratio in each block, shape (trials, blocks); each side has two visits in a block."""
    shape = (trials, ANALYSES[-1])
    scatter = generator.standard_t(noise.tails, shape) if noise.tails else generator.standard_normal(shape)
    rows = np.log(ratio) + noise.spread * scatter
    if noise.late:
        is_late = generator.random((2, 2, *shape)) < 0.1
        sides = np.log1p(np.where(is_late, generator.exponential(noise.late, is_late.shape), 0.0)).mean(axis=1)
        rows += sides[0] - sides[1]
    return rows


def decided_tests(noise, ratio, trials, *, tests=1, indifference=0.0, seed=11):
    """What the blocks of *trials* tests decide; their true ratio is *ratio*, and their claims have *tests* tests."""
    rule = ReplayRule(analyses=ANALYSES, error=ERROR, band=BAND, indifference=indifference, tests=tests, floor=FLOOR)
    return replay_all(simulated(noise, np.random.default_rng(seed), ratio, trials), rule)


def wrong(noise, trials, *, tests=1, indifference=0.0):
    """The shares of claims that wrongly hold and wrongly fail, each the larger one of both ends of the band.

    A wrong *holds* needs one ratio outside the band: the others lie in its middle. A wrong *fails* is most likely if
    the ratios of all tests lie just within the band, or within the band without its indifference.
    """
    rejected = BAND.without(indifference)
    holds = max(
        _claims(noise, (end, *[CLEAR] * (tests - 1)), trials, indifference, Decision.HOLDS)
        for end in (BAND.high * JUST, BAND.low / JUST)
    )
    fails = max(
        _claims(noise, (end,) * tests, trials, indifference, Decision.FAILS)
        for end in (rejected.high / JUST, rejected.low * JUST)
    )
    return holds, fails


def _claims(noise, ratios, trials, indifference, decision):
    """The share of claims with *decision*; each has a test for each of *ratios*."""
    tests = [
        [
            each.decision
            for each in decided_tests(noise, ratio, trials, tests=len(ratios), indifference=indifference, seed=at)
        ]
        for at, ratio in enumerate(ratios, 11)
    ]
    combine = all if decision is Decision.HOLDS else any
    return sum(combine(each is decision for each in claim) for claim in zip(*tests, strict=True)) / trials


def decided(noise, distance, trials, *, inside=True, indifference=0.0):
    """The share of tests that are decided and their mean number of blocks, at a *distance* (relative) from an end."""
    factor = 1 + distance
    found = decided_tests(
        noise, BAND.high / factor if inside else BAND.high * factor, trials, indifference=indifference
    )
    share = sum(each.decision is not Decision.UNDECIDED for each in found) / trials
    return share, float(np.mean([each.blocks for each in found]))


def false_discoveries(noise, at_ends, boards, *, claims=40, seed=5):
    """The mean share of wrong decisions among those of a board, without and with the control of the board.

    *at_ends* is the share of the claims whose ratio lies just outside the band; the others lie in its middle.
    """
    beyond = round(at_ends * claims)
    ratios = np.array([BAND.high * JUST] * beyond + [CLEAR] * (claims - beyond))
    rows = (
        simulated(noise, np.random.default_rng(seed), 1.0, boards * claims) + np.tile(np.log(ratios), boards)[:, None]
    )
    found = replay_all(rows, ReplayRule(analyses=ANALYSES, error=ERROR, band=BAND, floor=FLOOR))
    p = np.array([1.0 if each.p_value is None else each.p_value for each in found]).reshape(boards, claims)
    is_decided = np.array([each.decision is not Decision.UNDECIDED for each in found]).reshape(boards, claims)
    holds = np.array([each.decision is Decision.HOLDS for each in found]).reshape(boards, claims)
    is_wrong = holds == (ratios > BAND.high)
    kept = np.array([benjamini_hochberg(row, FALSE_DISCOVERY_RATE) for row in p]) & is_decided
    return tuple(
        float(np.mean((is_wrong & chosen).sum(axis=1) / np.maximum(chosen.sum(axis=1), 1)))
        for chosen in (is_decided, kept)
    )

"""The rate of wrong decisions on claims that are measured in blocks, by simulation of blocks with a known ratio.

make study ARGS="studies.claim_error_rates"       # the tables of docs/measurements/error-rates.md
"""

from dataclasses import dataclass

import numpy as np

from windtunnel.stats.paired_differences import benjamini_hochberg
from windtunnel_claims.block_values import BlockValues
from windtunnel_claims.claim import Band, Claim, ClaimTest
from windtunnel_claims.claims_file import Measuring
from windtunnel_claims.decide import FALSE_DISCOVERY_RATE, BlockDecider, across
from windtunnel_claims.format import Decision
from windtunnel_claims.replay import ReplayRule, replay_all

BAND = Band(low=1 / 1.25, high=1.25)
ANALYSES, ERROR = Measuring().analyses, Measuring().error
FLOOR = 0.0014
"""The floor of a ratio of two times, as in ``windtunnel_claims.block_values``."""
JUST = 1 + 1e-9
"""How far a ratio lies beyond an end of a band, so that one decision is wrong."""
DECIDED = (Decision.HOLDS, Decision.FAILS)
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


def decided_tests(noise, ratio, trials, *, tests=1, zone=0.0, seed=11):
    """What the blocks of *trials* tests decide; their true ratio is *ratio*, and their claims have *tests* tests."""
    rule = ReplayRule(analyses=ANALYSES, error=ERROR, band=BAND, zone=zone, tests=tests, floor=FLOOR)
    return replay_all(simulated(noise, np.random.default_rng(seed), ratio, trials), rule)


def wrong(noise, trials, *, tests=1, zone=0.0):
    """The shares of claims that wrongly hold and wrongly fail, each the larger one of both ends of the band.

    A wrong *holds* needs one ratio outside the band: the others lie in its middle. A wrong *fails* is most likely if
    the ratios of all tests lie just within the band.
    """
    holds = max(
        _claims(noise, (end, *[CLEAR] * (tests - 1)), trials, zone, Decision.HOLDS)
        for end in (BAND.high * JUST, BAND.low / JUST)
    )
    fails = max(
        _claims(noise, (end,) * tests, trials, zone, Decision.FAILS) for end in (BAND.high / JUST, BAND.low * JUST)
    )
    return holds, fails


def _claims(noise, ratios, trials, zone, decision):
    """The share of claims with *decision*; each has a test for each of *ratios*."""
    tests = [
        [each.decision for each in decided_tests(noise, ratio, trials, tests=len(ratios), zone=zone, seed=at)]
        for at, ratio in enumerate(ratios, 11)
    ]
    combine = all if decision is Decision.HOLDS else any
    return sum(combine(each is decision for each in claim) for claim in zip(*tests, strict=True)) / trials


def decided(noise, distance, trials, *, inside=True, zone=0.0):
    """The share of tests that are decided and their mean number of blocks, at a *distance* (relative) from an end."""
    factor = 1 + distance
    found = decided_tests(noise, BAND.high / factor if inside else BAND.high * factor, trials, zone=zone)
    share = sum(each.decision in DECIDED for each in found) / trials
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
    is_decided = np.array([each.decision in DECIDED for each in found]).reshape(boards, claims)
    holds = np.array([each.decision is Decision.HOLDS for each in found]).reshape(boards, claims)
    is_wrong = holds == (ratios > BAND.high)
    kept = np.array([benjamini_hochberg(row, FALSE_DISCOVERY_RATE) for row in p]) & is_decided
    return tuple(
        float(np.mean((is_wrong & chosen).sum(axis=1) / np.maximum(chosen.sum(axis=1), 1)))
        for chosen in (is_decided, kept)
    )


TEST = ClaimTest(benchmark="a", contender={"x": 1}, baseline={"x": 2}, between=(BAND.low, BAND.high))
DECIDER = BlockDecider(benchmarks={}, measuring=Measuring())


def wrong_over_days(noise, trials, *, days, session=0.0, one_sided=0.0, count=ANALYSES[0], seed=3):
    """The share of tests that wrongly hold: their ratio lies just beyond the upper end of the band.

    Each of *days* days has *count* blocks, and shifts them alike by a normal value with the standard deviation
    *session*. In the share *one_sided* of the blocks only the contender is late, by 30 %; the ratio includes these.
    """
    generator = np.random.default_rng(seed)
    rows = np.log(BAND.high * JUST) + noise.spread * generator.standard_normal((trials, days * count))
    rows += np.repeat(session * generator.standard_normal((trials, days)), count, axis=1)
    rows += np.log(1.3) * ((generator.random(rows.shape) < one_sided) - one_sided)
    rule = ReplayRule(analyses=tuple(each for each in ANALYSES if each >= count), error=ERROR, band=BAND, floor=FLOOR)
    names = tuple((str(day), "") for day in range(days) for _ in range(count))
    over = [
        DECIDER.over_days(
            found, rule, BlockValues(cases=(0, 1), logs=np.array([row, np.zeros(row.size)]), floor=FLOOR, days=names)
        )[0].decision
        for found, row in zip(replay_all(rows, rule), rows, strict=True)
    ]
    return over.count(Decision.HOLDS) / trials


def crossings(noise, trials, place, *, points=4, step=0.2, seed=7):
    """The shares of series whose crossing lies outside its interval, and that have the nearest values as ends.

    The ratio is 1 at the value *place*; it is smaller by *step* (relative) at each further value.
    """
    values = tuple(range(1, points + 1))
    claim = Claim(
        id="a", source="a", sentence="a", series={"x": values}, crossing=("", values[-1]), tests=(TEST,) * points
    )
    rule = ReplayRule(analyses=ANALYSES, error=ERROR, band=Band(high=1.0), floor=FLOOR)
    found = [
        replay_all(simulated(noise, np.random.default_rng(seed + at), (1 + step) ** (place - at), trials), rule)
        for at in range(points)
    ]
    places = [across(claim, [each.decision for each in series])[2] for series in zip(*found, strict=True)]
    missed = sum(low >= place or high <= place for low, high in places) / trials
    return missed, sum(low == place - 1 and high == place + 1 for low, high in places) / trials

"""Claims over a series, in two conditions, over days, of a size: what blocks decide about them."""

import msgspec
import pytest
from builders.claim_blocks import THIRD, a_block, a_claims_file, a_series, a_series_case, claim_samples, ratios
from builders.claim_boards import a_claim_target
from builders.trees import a_scenario

from windtunnel.errors import ConfigurationError
from windtunnel_claims.claims_file import Measuring
from windtunnel_claims.decide import BlockDecider
from windtunnel_claims.findings import decide_findings
from windtunnel_claims.format import Decision

VALUES = ("1 ms", "5 ms", "20 ms")
SUITE = {each.name: each for each in (a_scenario("sleep.Sleep.time_run", ("sync", "gather"), ("standard", *VALUES)),)}
POOL = """
[[claim]]
id = "pool"
source = "Z"
sentence = "A pool pays from 5 ms on."
benchmark = "sleep.Sleep.time_run"
contender = { variant = "gather" }
baseline = { variant = "sync" }
series = { load = ["1 ms", "5 ms", "20 ms"] }
crossing = ["1 ms", "5 ms"]
"""
TRIPS = THIRD.replace("between = [0.3233, 0.3433]", "below = 0.5").replace(
    "published = 0.333\n", "round-trips = true\n"
)
DAY = 86400.0


def decide(series, claim, today=None):
    """The decision on *claim* from the blocks of *series*."""
    (found,) = a_claims_file(claim).claims
    decider = BlockDecider(benchmarks=SUITE, measuring=Measuring(), today=today)
    return decider.decide(found, series, claim_samples(series), a_claim_target())


def a_pool(*centres, blocks=4, claim=POOL, spread=0.001):
    """The decision on a series with these ratios."""
    cases = [a_series_case(variant, load=load) for load in VALUES for variant in ("gather", "sync")]
    rows = zip(*(ratios(centre, blocks, spread) for centre in centres), strict=True)
    measured = [a_block(*(value for ratio in row for value in (ratio, 1.0))) for row in rows]
    return decide(a_series(*measured, claims=("pool",), cases=cases, given=()), claim).decision


@pytest.mark.parametrize(
    ("centres", "decision", "ends"),
    [
        ((1.5, 0.8, 0.5), Decision.HOLDS, ("1 ms", "5 ms")),
        ((1.5, 1.2, 0.5), Decision.FAILS, ("5 ms", "20 ms")),
        ((0.8, 0.7, 0.5), Decision.FAILS, ("", "1 ms")),
        ((1.5, 1.4, 1.3), Decision.FAILS, ("20 ms", "")),
        ((1.5, 1.001, 0.5), Decision.UNDECIDED, ("1 ms", "20 ms")),
        ((1.5, 0.95, 0.5), Decision.ABOUT, ("1 ms", "20 ms")),
    ],
)
def test_a_series_says_between_which_values_the_direction_changes(centres, decision, ends):
    """It holds if that is within what is claimed; a ratio near 1 is on no side until days decide."""
    found = a_pool(*centres, spread=0.003)
    assert (found.decision, (found.crossing.low, found.crossing.high)) == (decision, ends)
    assert [test.at for test in found.tests] == [*VALUES]
    assert (found.p_value is not None) is found.is_decided


def test_an_open_end_claims_that_a_way_never_pays():
    """It takes more at every value."""
    never = POOL.replace('["1 ms", "5 ms"]', '["20 ms", ""]')
    assert a_pool(1.5, 1.4, 1.3, claim=never).decision is Decision.HOLDS
    assert a_pool(1.5, 1.4, 0.7, claim=never).decision is Decision.FAILS


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('crossing = ["1 ms", "5 ms"]', "", "write both, with one parameter"),
        ('["1 ms", "5 ms"]', '["5 ms", "1 ms"]', "the smaller one first"),
        ('["1 ms", "5 ms"]', '["1 ms", "7 ms"]', "write values of the series"),
        ('["1 ms", "5 ms", "20 ms"]', '["1 ms"]', "length >= 2"),
        ("series = { load", "series = { n = [1, 2], load", "write both, with one parameter"),
    ],
)
def test_a_series_names_values_and_its_crossing(old, new, message):
    """The message names the claim."""
    with pytest.raises(ConfigurationError, match="claim 'pool'") as refused:
        a_claims_file(POOL.replace(old, new))
    assert message in str(refused.value)


def conditions(idle, awake):
    """Four blocks of each condition with these ratios."""
    kept = [msgspec.structs.replace(a_block(0.6 * each, 0.6), awake="a loop") for each in ratios(awake, 4)]
    return decide(a_series(*ratios(idle, 4), *kept, round_trips=True), TRIPS)


def test_a_claim_about_round_trips_needs_both_conditions():
    """Each has a ratio of its own."""
    found = conditions(0.3, 0.2).decision
    assert (found.decision, [test.condition for test in found.tests]) == (Decision.HOLDS, ["idle", "awake"])
    assert [test.ratio for test in found.tests] == pytest.approx([0.3, 0.2], rel=1e-3)
    half = decide(a_series(*ratios(0.3, 4), round_trips=True), TRIPS)
    assert (half.decision.decision, half.is_final, half.blocks_to_next) == (Decision.UNDECIDED, False, 4)


def test_conditions_that_disagree_decide_nothing_and_both_answer():
    """No ratio is stated without its condition."""
    found = conditions(0.3, 0.8).decision
    assert (found.decision, found.reason) == (Decision.UNDECIDED, "conditions differ: idle it holds, awake it fails")
    finding = (
        '[[finding]]\nid = "f"\nquestion = "q"\nclaim = "Z1"\nholds = "Less: {ratio}."\nfails = "More: {ratio}."\n'
    )
    (answered,) = decide_findings(a_claims_file(TRIPS, finding).findings, [found], [a_claim_target()])
    said = {each.sentence for each in answered.answers}
    assert said == {"With idle processors: Less: 0.30.", "With awake processors: More: 0.80."}


def on_days(days, centre, claim, *, boot="", today=None):
    """The decision from four blocks on each of *days*."""
    blocks = [
        msgspec.structs.replace(a_block(0.6 * ratio, 0.6), started=day * DAY + at, boot=boot)
        for day in range(days)
        for at, ratio in enumerate(ratios(centre * (1 + 0.005 * day), 4))
    ]
    return decide(a_series(*blocks), claim, today)


BELOW = THIRD.replace("between = [0.3233, 0.3433]", "below = 0.36").replace("published = 0.333\n", "")


def test_a_ratio_near_its_limit_is_decided_over_days():
    """Blocks of one day agree more with each other than with those of another day."""
    (one,), (three,) = (on_days(days, 0.34, BELOW).decision.tests for days in (1, 3))
    assert (one.decision, one.days) == (Decision.ABOUT, 1)
    assert one.reason == "the ratio is about at the limit 0.36, over 1 day; 3 days or boots decide"
    assert (three.decision, three.days, three.reason) == (Decision.HOLDS, 3, "")
    assert three.interval.high - three.interval.low > 2 * (one.interval.high - one.interval.low)
    assert on_days(1, 0.2, BELOW).decision.decision is Decision.HOLDS


def test_a_close_claim_is_measured_on_another_day():
    """Today's blocks are enough for today."""
    assert on_days(1, 0.34, BELOW, today=("1970-01-01", "")).is_final
    tomorrow = on_days(1, 0.34, BELOW, today=("1970-01-02", ""))
    assert (tomorrow.is_final, tomorrow.blocks_to_next) == (False, 4)
    assert not on_days(1, 0.34, BELOW, today=("1970-01-01", "another boot")).is_final


@pytest.mark.parametrize(("published", "decision"), [(0.25, Decision.HOLDS), (0.19, Decision.DIRECTION)])
def test_a_claim_may_hold_without_the_published_size(published, decision):
    """The band of the size is the published ratio, times and divided by 1.5."""
    found = decide(a_series(*ratios(0.3, 4)), f"{BELOW}published = {published}\n").decision
    assert (found.decision, found.is_decided, found.p_value is not None) == (decision, True, True)


def test_blocks_that_jump_across_one_have_no_direction():
    """Both levels are stated."""
    claim = THIRD.replace("between = [0.3233, 0.3433]", "below = 3").replace("published = 0.333\n", "")
    jumping = [0.5, 1.6, 0.501, 1.601, 0.5, 1.6, 0.499, 1.599, 0.5, 1.6]
    (test,) = decide(a_series(*jumping), claim).decision.tests
    assert test.levels == pytest.approx((0.5, 1.6), rel=0.01)
    assert (test.decision, "blocks jump between 0.5 and 1.6" in test.reason) == (Decision.UNDECIDED, True)


def test_a_disputed_claim_stays_undecided():
    """Another program shows something else, whatever the blocks say."""
    found = decide(a_series(*ratios(0.3, 4)), f'{BELOW}disputed = "hey does not show it"\n').decision
    assert (found.decision, found.reason, found.p_value) == (Decision.UNDECIDED, "hey does not show it", None)

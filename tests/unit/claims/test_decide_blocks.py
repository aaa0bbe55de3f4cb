"""Claims are decided from blocks: a block with all cases of a test is one observation."""

import msgspec
import pytest
from builders.claim_blocks import (
    SLEEP,
    STANDARD,
    THIRD,
    a_block,
    a_claims_file,
    a_series,
    a_series_case,
    claim_samples,
    ratios,
)
from builders.claim_boards import a_claim_target
from builders.examples import examples
from builders.trees import a_benchmark, a_hash, a_scenario
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_claims.claims_file import Measuring
from windtunnel_claims.decide import BlockDecider
from windtunnel_claims.format import DecidedClaim, Decision

MEMORY = a_scenario("memory.Peak.track_peak", ("sync", "gather"), ("standard",), unit="bytes")


def decide(series, claim=THIRD, *, benchmarks=(SLEEP, MEMORY), cores=8, **samples):
    """What *series* decides about *claim*."""
    decider = BlockDecider(benchmarks={each.name: each for each in benchmarks}, measuring=Measuring())
    (found,) = a_claims_file(claim).claims
    return decider.decide(found, series, claim_samples(series, **samples), a_claim_target(cores=cores))


def test_a_claim_is_decided_from_blocks():
    """The decision names commit and day, and each case its geometric mean over the blocks of the interval."""
    found = decide(a_series(*ratios(0.3333, 5)))
    decision = found.decision
    assert (decision.decision, decision.reason, decision.given) == (Decision.HOLDS, "", STANDARD)
    assert (decision.commit, decision.measured) == (a_hash(1), "2026-01-30")
    assert decision.p_value < 0.001
    (test,) = decision.tests
    assert test.blocks == 4
    assert test.block_ratios == pytest.approx(ratios(0.3333, 5)[:4], rel=1e-4)
    assert (test.contender.value, test.baseline.value) == (pytest.approx(0.2, 0.001), pytest.approx(0.6))
    assert test.contender.unit == "seconds"
    assert (found.is_final, found.cases, found.blocks_to_next) == (True, frozenset(), 0)


def test_an_undecided_claim_says_what_to_measure():
    """The driver measures those cases only."""
    found = decide(a_series(*ratios(0.34, 5, spread=0.01), cases=("gather", "sync", "other")))
    assert (found.is_final, found.cases, found.blocks_to_next) == (False, {0, 1}, 1)
    assert found.decision.reason == "undecided after 4 blocks; the next analysis is after 6"
    assert decide(a_series(0.33)).decision.reason == "1 block measured; the first analysis is after 4"
    assert decide(a_series(0.33)).decision.tests[0].block_ratios == ()


def test_blocks_without_all_cases_do_not_count():
    """A case that another claim no longer needs is not measured in every block."""
    partial = [a_block(0.2, None), a_block(None, 0.6)] * 4
    found = decide(a_series(*partial, *ratios(0.3333, 3)))
    assert (found.decision.decision, found.blocks_to_next) == (Decision.UNDECIDED, 1)
    assert decide(a_series(*partial, *ratios(0.3333, 4))).is_final


def test_blocks_beside_other_programs_do_not_count():
    """A busy processor changes ratios, so another block is measured instead."""
    busy = [msgspec.structs.replace(a_block(0.6, 0.6), background_load=0.9)] * 4
    found = decide(a_series(*busy, *ratios(0.3333, 3)))
    assert (found.decision.decision, found.blocks_to_next) == (Decision.UNDECIDED, 1)
    calm = msgspec.structs.replace(a_block(0.2, 0.6), background_load=0.2)
    assert decide(a_series(*busy, *ratios(0.3333, 3), calm)).decision.decision is Decision.HOLDS
    assert decide(a_series(*busy)).decision.reason == "other processes kept processors busy during all blocks"


def test_a_claim_at_an_end_of_its_band_says_so():
    """It is final after the third analysis, and neither holds nor fails."""
    found = decide(a_series(*ratios(0.3433, 24, spread=0.01)))
    assert (found.decision.decision, found.is_final, found.decision.tests[0].blocks) == (Decision.ABOUT, True, 10)
    assert found.decision.reason == "the ratio is about at the limit 0.343, over 1 day; 3 days or boots decide"


THREE = THIRD.replace('contender = { variant = "gather" }\n', "").replace(
    "between = [0.3233, 0.3433]", "below = 1"
) + "".join(f'[[claim.test]]\ncontender = {{ variant = "{name}" }}\n' for name in ("gather", "threads", "pool"))
FOUR = a_scenario("sleep.Sleep.time_run", ("sync", "gather", "threads", "pool"), ("standard", "article"))


def blocks_of_four(count, *values, spread=0.001):
    """A series of four variants whose ratios to the last are *values*."""
    rows = zip(*(ratios(value, count, spread) for value in values), strict=True)
    return a_series(*(a_block(*row, 1.0) for row in rows), cases=("gather", "threads", "pool", "sync"))


def test_a_claim_holds_if_all_its_tests_hold():
    """Its p-value is that of the weakest."""
    found = decide(blocks_of_four(4, 0.5, 0.6, 0.88, spread=0.01), THREE, benchmarks=[FOUR]).decision
    assert [test.decision for test in found.tests] == [Decision.HOLDS] * 3
    weakest = decide(blocks_of_four(4, 0.88, 0.88, 0.88, spread=0.01), THREE, benchmarks=[FOUR]).decision
    assert found.p_value == pytest.approx(weakest.p_value)


def test_a_claim_fails_if_one_test_fails():
    """It is final then, though another test is undecided."""
    found = decide(blocks_of_four(4, 0.5, 1.0, 1.12), THREE, benchmarks=[FOUR])
    assert [test.decision for test in found.decision.tests] == [Decision.HOLDS, Decision.UNDECIDED, Decision.FAILS]
    assert (found.decision.decision, found.decision.decisive, found.is_final) == (Decision.FAILS, 2, True)
    assert found.decision.p_value < 0.025


def test_decided_tests_are_not_measured_on():
    """Only the cases of undecided tests are needed."""
    found = decide(blocks_of_four(4, 0.5, 1.0, 0.6), THREE, benchmarks=[FOUR])
    assert (found.is_final, found.cases, found.blocks_to_next) == (False, {1, 3}, 2)


@pytest.mark.parametrize(
    ("series", "final", "reason"),
    [
        (a_series(skipped="skipped: no disk"), True, "skipped: no disk"),
        (
            a_series(cases=[a_series_case("gather", absence="skipped: no uvloop"), a_series_case("sync")]),
            True,
            "sleep.Sleep.time_run('gather', 'standard') skipped: no uvloop",
        ),
        (a_series(cases=("gather",)), True, "sleep.Sleep.time_run('sync', 'standard') was not measured in blocks"),
        (
            a_series(cases=[a_series_case("gather", version="0"), a_series_case("sync")]),
            True,
            "sleep.Sleep.time_run('gather', 'standard') has changed since it was measured; measure again",
        ),
        (a_series(), False, "no block is measured yet"),
        (a_series(a_block(0.2, None, reason="sync failed")), False, "sync failed"),
        (a_series(a_block(0.0, 0.6)), True, "a value is zero, negative or infinite and has no ratio"),
    ],
)
def test_cases_without_values_are_undecided_with_the_reason(series, final, reason):
    """More blocks help only where nothing is wrong with the cases."""
    found = decide(series)
    assert (found.decision.decision, found.decision.reason, found.is_final) == (Decision.UNDECIDED, reason, final)
    assert found.decision.tests[0].ratio is None


def test_a_benchmark_that_is_gone_is_named():
    """The suite may have changed since."""
    found = decide(a_series(*ratios(0.33, 4)), benchmarks=[a_benchmark()])
    assert found.decision.reason == "these results have no benchmark sleep.Sleep.time_run"
    assert found.decision.tests[0].contender.params == ()


def test_values_that_are_no_times_may_agree_exactly():
    """Bytes have no clock."""
    claim = THIRD.replace("sleep.Sleep.time_run", "memory.Peak.track_peak").replace(
        "between = [0.3233, 0.3433]", "below = 0.334"
    )
    cases = [a_series_case(each, benchmark="memory.Peak.track_peak", unit="bytes") for each in ("gather", "sync")]
    found = decide(a_series(*[1 / 3] * 4, cases=cases), claim)
    assert found.decision.tests[0].interval.low == pytest.approx(1 / 3)
    assert found.decision.tests[0].interval.high == pytest.approx(1 / 3)


@pytest.mark.parametrize(("figure", "value", "unit"), [("", 1 / 3, None), ("per = 100", -0.004, "seconds")])
def test_figures_are_computed_from_blocks(figure, value, unit):
    """A ratio, and a difference for each of a count."""
    claim = f'{THIRD}[[claim.figure]]\nname = "figure"\n{figure}\n'
    series = a_series(*[a_block(0.2, 0.6, 2.0)] * 4, cases=("gather", "sync", "threads"))
    (found,) = decide(series, claim, benchmarks=[FOUR]).decision.figures
    assert (found.value, found.unit, found.reason) == (pytest.approx(value), unit, "")
    assert found.low < found.value < found.high


@pytest.mark.parametrize(
    ("series", "figure", "reason"),
    [(a_series(0.33), "", "too few blocks; it needs two"), (a_series(), "", "no block is measured yet")],
)
def test_figures_without_a_value_have_the_reason(series, figure, reason):
    """They do not keep the claim from being decided."""
    (found,) = decide(series, f'{THIRD}[[claim.figure]]\nname = "figure"\n{figure}\n').decision.figures
    assert (found.value, found.reason) == (None, reason)


@pytest.mark.parametrize(
    ("statistic", "ratio"), [("median", 2), ("maximum", 10), ("mean", 13 / 3), ("p95", 9.2), ("maximum-by-median", 5)]
)
def test_the_claim_chooses_the_statistic_of_a_visit(statistic, ratio):
    """It is computed from the samples of each visit."""
    tailed = [
        msgspec.structs.replace(
            block,
            visits=tuple(
                msgspec.structs.replace(each, samples=(1.0, 2.0, 10.0) if each.case == 0 else (1.0,) * 3)
                for each in block.visits
            ),
        )
        for block in [a_block(1.0, 1.0)] * 24
    ]
    (test,) = decide(a_series(*tailed), f'{THIRD}statistic = "{statistic}"').decision.tests
    assert test.ratio == pytest.approx(ratio)
    assert test.contender.unit == ("unit" if statistic == "maximum-by-median" else "seconds")


def test_overflowing_values_decide_nothing():
    """The mean of such values is not finite; their median is."""
    huge = a_series(*[a_block(1.7e308, 0.6)] * 4)
    found = decide(huge, f'{THIRD}statistic = "mean"').decision
    assert (found.decision, "infinite" in found.reason) == (Decision.UNDECIDED, True)
    assert decide(huge).decision.decision is Decision.FAILS


def test_seconds_and_bytes_have_no_ratio():
    """Both cases of a ratio need the same unit."""
    cases = [a_series_case("gather", unit="bytes"), a_series_case("sync")]
    assert decide(a_series(0.3, 0.3, cases=cases)).decision.reason == "bytes and seconds have no ratio"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("sleep.Sleep.time_run", "gone.Gone.time_run", "these results have no benchmark gone.Gone.time_run"),
        ('{ variant = "gather" }', '{ varient = "gather" }', "has no parameter 'varient'; it has variant, load"),
        ('{ variant = "gather" }', '{ variant = "gathr" }', "has no variant 'gathr'; it has 'sync', 'gather'"),
    ],
)
def test_an_unknown_case_is_undecided(old, new, words):
    """Blocks may be older than the claim."""
    found = decide(a_series(0.3), THIRD.replace(old, new)).decision
    assert (found.decision, words in found.reason) == (Decision.UNDECIDED, True)


EXTREME = st.sampled_from([5e-324, 1e-300, 1e-9, 1.0, 1e9, 1e300, 1.7976931348623157e308]) | st.floats(
    min_value=0, allow_infinity=False, allow_nan=False
)


@given(rows=st.lists(st.tuples(EXTREME, EXTREME, EXTREME), min_size=1, max_size=7))
@examples(30)
def test_values_at_the_edge_of_a_float_are_decided_without_an_error(rows):
    """A file of values comes from elsewhere; what is decided can be written and read."""
    kinds = ("", "per = 100", 'contender = { variant = "threads" }')
    claim = THIRD + "".join(f'[[claim.figure]]\nname = "{at}"\n{kind}\n' for at, kind in enumerate(kinds))
    series = a_series(*(a_block(*row) for row in rows), cases=("gather", "sync", "threads"))
    found = decide(series, claim, benchmarks=[FOUR]).decision
    assert msgspec.json.decode(msgspec.json.encode(found), type=DecidedClaim) == found

"""Instructions are a second witness of a claim: they decide almost exactly, and say what they do not see."""

import msgspec
import pytest
from builders.claim_blocks import SLEEP, THIRD, a_claims_file, a_series, a_series_case, claim_samples, ratios
from builders.claim_boards import a_claim_target

from windtunnel.model.schedule import InstructionCounts
from windtunnel_claims.accompanying import BLIND, instruction_ratio
from windtunnel_claims.claim import Band
from windtunnel_claims.claims_file import Measuring
from windtunnel_claims.decide import BlockDecider
from windtunnel_claims.format import Decision
from windtunnel_claims.replay import ReplayRule

SAME = ReplayRule(analyses=(4, 6), error=0.01, band=Band(low=0.95, high=1.05))
SPREAD = (1.0, 1.0004, 0.9997, 1.0002, 1.0001)
"""What five hash seeds change, relative."""


def a_case(variant, middle, seeds=SPREAD, **more):
    """A case of around *middle* instructions, for each of *seeds*."""
    counts = InstructionCounts(per_call=tuple(middle * seed for seed in seeds), calls=10, **more)
    return msgspec.structs.replace(a_series_case(variant), instructions=counts)


def test_the_ratio_of_counts_is_almost_exact():
    """The counts are paired by hash seed, so what a seed changes on both sides does not count."""
    found = instruction_ratio([a_case("gather", 1.515e6), a_case("sync", 1.515e6)], SAME)
    assert (found.decision, found.ratio, found.seeds) == (Decision.HOLDS, pytest.approx(1), 5)
    assert (found.contender, found.baseline) == (pytest.approx(1.515e6, rel=1e-3),) * 2
    assert found.interval.high - found.interval.low < 1e-4
    assert found.confidence == pytest.approx(0.99)


@pytest.mark.parametrize(
    ("middle", "decision"), [(1.046, "holds"), (1.055, "fails"), (0.94, "fails"), (1.05, "undecided")]
)
def test_counts_decide_near_an_end_of_the_band(middle, decision):
    """Times would need hundreds of blocks there."""
    jitter = tuple(each * (1 + 1e-3 * (-1) ** at) for at, each in enumerate(SPREAD))
    found = instruction_ratio([a_case("gather", middle, jitter), a_case("sync", 1.0)], SAME)
    assert found.decision.value == decision
    assert bool(found.reason) is (decision == "undecided")


def test_a_claim_within_its_indifference_holds_or_is_undecided():
    """Slightly more is claimed, and 0.02 % more is too little to contradict it."""
    rule = ReplayRule(analyses=(4, 6), error=0.01, band=Band(low=1.0, high=1.15), indifference=0.02)
    found = instruction_ratio([a_case("asyncio_run", 1.0002), a_case("sync", 1.0)], rule)
    assert found.decision is Decision.HOLDS
    less = instruction_ratio([a_case("asyncio_run", 0.9998), a_case("sync", 1.0)], rule)
    assert less.decision is Decision.FAILS


def test_cases_with_threads_or_processes_have_no_ratio():
    """Counts do not see all their work."""
    found = instruction_ratio([a_case("threads", 1.0, other_threads=True), a_case("sync", 1.0)], SAME)
    assert (found.decision, found.ratio, found.reason) == (Decision.UNDECIDED, None, BLIND)
    assert found.contender is not None


def test_a_case_without_counts_says_why():
    """The sides that are counted are shown."""
    absent = msgspec.structs.replace(a_series_case("gather"), instructions=InstructionCounts(reason="no valgrind"))
    found = instruction_ratio([absent, a_case("sync", 2.0)], SAME)
    assert (found.contender, found.ratio) == (None, None)
    assert found.reason == "sleep.Sleep.time_run('gather', 'standard'): no valgrind"
    assert instruction_ratio([a_series_case("gather"), a_case("sync", 2.0)], SAME) is None


@pytest.mark.parametrize("seeds", [(1.0,), (1.0, 0.0, 1.0)])
def test_counts_without_spread_or_ratio_decide_nothing(seeds):
    """A file from elsewhere may hold anything."""
    found = instruction_ratio([a_case("gather", 1.0, seeds), a_case("sync", 1.0, (1.0,) * len(seeds))], SAME)
    assert found.decision is Decision.UNDECIDED
    assert found.reason


def test_counts_of_different_seeds_have_no_ratio():
    """They cannot be paired."""
    found = instruction_ratio([a_case("gather", 1.0, SPREAD[:3]), a_case("sync", 1.0)], SAME)
    assert found.reason == "the cases are counted with different hash seeds"


def decide(claim, cases):
    """The decision on *claim* with blocks that do not decide it, and *cases*."""
    decider = BlockDecider(benchmarks={SLEEP.name: SLEEP}, measuring=Measuring())
    (found,) = a_claims_file(claim).claims
    series = a_series(*ratios(0.34, 4, spread=0.02), cases=cases)
    return decider.decide(found, series, claim_samples(series), a_claim_target()).decision


def test_times_decide_the_claim_and_instructions_stand_beside_it():
    """Instructions never decide a claim about time."""
    cases = a_case("gather", 0.3333), a_case("sync", 1.0)
    found = decide(f"{THIRD}instructions = true\n", cases)
    assert (found.decision, found.tests[0].decision) == (Decision.UNDECIDED, Decision.UNDECIDED)
    assert found.tests[0].instructions.decision is Decision.HOLDS


def test_a_claim_that_asks_for_no_instructions_shows_none():
    """Another claim of the series may have asked."""
    found = decide(THIRD, (a_case("gather", 0.3333), a_case("sync", 1.0)))
    assert found.tests[0].instructions is None

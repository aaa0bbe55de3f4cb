"""Claims are grouped into series, earlier blocks are kept where they fit, and orders are random and balanced."""

from collections import Counter

import pytest
from builders.claim_blocks import SLEEP, THIRD, a_block, a_claims_file, a_series, a_series_case, claim_samples
from msgspec.structs import replace

from windtunnel_claims.block_values import find_indices
from windtunnel_claims.format import ClaimTarget, Setting
from windtunnel_claims.samples_format import SAMPLES_FORMAT, ProcessMode
from windtunnel_claims.series_plan import block_order, combine, counted_case, plan_series, resume

TARGET = ClaimTarget(name="3.12", python="3.12", machine="desk", environment="virtualenv-py3.12", cores=2, gil=True)
BENCHMARKS = {SLEEP.name: SLEEP}
SWAPPED = (
    THIRD.replace('"Z1"', '"Z2"')
    .replace("contender =", "x =")
    .replace("baseline", "contender")
    .replace("x =", "baseline =")
)
STANDARD = THIRD.replace('"Z1"', '"Z3"').replace('"standard"', '"article"')
SEPARATE = THIRD.replace('"Z1"', '"Z4"') + 'processes = "separate"\n'
UNKNOWN = THIRD.replace('"Z1"', '"Z5"').replace("gather", "none")
ELSEWHERE = THIRD.replace('"Z1"', '"Z6"') + 'scope = { python = "pypy.*" }\n'


def planned(*claims, benchmarks=BENCHMARKS):
    return plan_series(a_claims_file(*claims).all_claims, benchmarks, TARGET)


def test_claims_with_the_same_benchmarks_given_and_processes_share_a_series():
    """Each case is listed once."""
    first, second, third = planned(THIRD, SWAPPED, STANDARD, SEPARATE)
    assert first.claims == ("Z1", "Z2")
    assert {case.params for case in first.cases} == {("'gather'", "'standard'"), ("'sync'", "'standard'")}
    assert first.given == (Setting(name="load", value="'standard'"),)
    assert (second.claims, second.given[0].value) == (("Z3",), "'article'")
    assert (third.claims, third.processes) == (("Z4",), ProcessMode.SEPARATE)
    assert all((case.version, case.unit, case.is_time) == (SLEEP.version, "seconds", True) for case in first.cases)


def test_a_claim_without_its_cases_has_its_own_series_and_hides_no_other():
    """It says what is missing; a claim that is out of scope is left out."""
    known, unknown = planned(THIRD, UNKNOWN, ELSEWHERE)
    assert known.claims == ("Z1",)
    assert (unknown.claims, unknown.cases) == (("Z5",), ())
    assert "has no variant 'none'" in unknown.skipped


def replace_params(benchmark, params):
    """The benchmark with other values of its parameters."""
    from dataclasses import replace as changed

    return changed(benchmark, params=params)


def test_earlier_blocks_are_kept_with_the_indices_of_now():
    """The cases may be listed in another order, and others be added; visits of cases that are gone are dropped."""
    now = a_series(cases=("new", "gather", "sync"))
    before = a_series(a_block((0, 1.0), (1, 2.0), (2, 3.0)), a_block((2, 4.0)), cases=("sync", "gather", "gone"))
    (resumed,) = resume([now], claim_samples(before), frozenset())
    assert resumed.blocks == (a_block((2, 1.0), (1, 2.0)),)


@pytest.mark.parametrize(
    "earlier",
    [
        a_series(a_block((0, 1.0)), cases=(a_series_case("sync", version="0"), "gather")),
        a_series(a_block((0, 1.0)), cases=(a_series_case("sync", unit="bytes"), "gather")),
        a_series(a_block((0, 1.0)), processes=ProcessMode.SEPARATE),
        a_series(a_block((0, 1.0)), given=()),
        a_series(a_block((0, 1.0)), claims=("Z9",)),
    ],
)
def test_blocks_of_other_versions_or_conditions_are_not_kept(earlier):
    """The series begins from the start."""
    (resumed,) = resume([a_series()], claim_samples(earlier), frozenset({"Z1"}))
    assert resumed.blocks == ()


@pytest.mark.parametrize(
    ("claim", "before", "after"), [("Z1", "failed: once", ""), ("Z9", "skipped: no disk", "skipped: no disk")]
)
def test_what_was_absent_is_tried_again_unless_the_call_is_for_other_claims(claim, before, after):
    """A library may have been installed since; where nothing of the series is tried, the reason is the newest."""
    earlier = a_series(a_block((1, 1.0)), cases=(a_series_case("sync", absence=before), "gather"))
    (resumed,) = resume([a_series()], claim_samples(earlier), frozenset({claim}))
    assert sorted(case.absence for case in resumed.cases) == ["", after]


def test_only_selected_claims_and_those_with_earlier_values_remain():
    """A call for some claims neither measures nor loses the others."""
    series = [a_series(claims=("Z1", "Z2")), a_series(claims=("Z3",), given=()), a_series(claims=("Z4",))]
    earlier = claim_samples(a_series(a_block((0, 1.0)), claims=("Z3",), given=()))
    resumed = resume(series, earlier, frozenset({"Z2"}))
    assert [(each.claims, len(each.blocks)) for each in resumed] == [(("Z2",), 0), (("Z3",), 1)]


def test_the_order_of_a_shared_block_is_random_and_then_reversed():
    """Linear drift adds the same to each case; all orders occur, and a seed gives one of them."""
    orders = [block_order(range(3), ProcessMode.SHARED, f"seed {number}") for number in range(100)]
    assert all(order == order[::-1] and sorted(order) == [0, 0, 1, 1, 2, 2] for order in orders)
    assert len({*orders}) == 6
    assert min(Counter(orders).values()) > 5
    assert block_order({2, 0}, ProcessMode.SHARED, "s") == block_order([0, 2], ProcessMode.SHARED, "s")


def test_the_order_of_separate_processes_has_each_case_once():
    """They run back to back."""
    assert sorted(block_order(range(4), ProcessMode.SEPARATE, "s")) == [0, 1, 2, 3]


def test_files_of_one_target_and_commit_are_combined():
    """Of a claim in both, the newer file counts; a claim of the other file is kept."""
    old = claim_samples(a_series(claims=("Z1", "Z2")), a_series(claims=("Z3",)), ended=1500.0)
    new = claim_samples(a_series(a_block((0, 1.0)), claims=("Z1",)), ended=2500.0)
    other = claim_samples(a_series(), python="3.13")
    combined = {each.python: each for each in combine([new, other, old])}
    assert [series.claims for series in combined["3.12"].series] == [("Z1",), ("Z2",), ("Z3",)]
    assert combined["3.12"].series[0].blocks
    assert combined["3.13"] == other
    assert not [*SAMPLES_FORMAT.check(combined["3.12"])]


def test_a_case_is_found_by_its_place_in_asvs_order():
    """The last parameter changes fastest."""
    assert counted_case(SLEEP, ("'gather'", "'standard'")).index == 4
    assert counted_case(replace_params(SLEEP, ()), ()).index == 0


def test_the_cases_of_a_claim_are_found_in_its_series():
    """Other cases of the series are not its."""
    series = replace(a_series(cases=("other", "gather", "sync")), given=(Setting(name="load", value="'standard'"),))
    (claim,) = a_claims_file(STANDARD).claims
    assert find_indices(series, claim.cases, BENCHMARKS) == (1, 2)

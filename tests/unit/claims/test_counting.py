"""A case of a claim is counted once, and its counts are kept while its version stays."""

import math
from dataclasses import replace

import msgspec
import pytest
from builders.claim_blocks import SLEEP, THIRD, a_claims_file, a_series, a_series_case, claim_samples

from windtunnel.errors import DataError
from windtunnel.formats import encode
from windtunnel.model.schedule import InstructionCounts
from windtunnel_claims.samples_format import MAX_REASON, MAX_SEEDS, SAMPLES_FORMAT
from windtunnel_claims.series_plan import add_counts, cases_to_count, resume

OTHER = replace(SLEEP, name="sleep.Other.time_run")
COUNTED = f"{THIRD}instructions = true\n"
FIVE = InstructionCounts(per_call=(1.0, 2.0, 3.0, 2.0, 1.0), calls=4)
GATHER, SYNC = (f"sleep.Sleep.time_run('{variant}', 'standard')" for variant in ("gather", "sync"))


def to_count(series, claim=COUNTED, selected=("Z1",)):
    """The names of the cases to count."""
    claims = {each.id: each for each in a_claims_file(claim).claims}
    return cases_to_count([series], claims, frozenset(selected), {SLEEP.name: SLEEP, OTHER.name: OTHER})


def test_the_cases_of_the_tests_of_a_claim_are_counted():
    """They are named as the engine knows them."""
    found = to_count(a_series())
    assert {name: (case.benchmark, case.index) for name, case in found.items()} == {
        GATHER: ("sleep.Sleep.time_run", 4),
        SYNC: ("sleep.Sleep.time_run", 1),
    }


def test_claims_that_do_not_ask_or_are_not_selected_are_not_counted():
    """Counting takes fifty times as long as running."""
    assert to_count(a_series(), THIRD) == {}
    assert to_count(a_series(), selected=()) == {}
    figure = '[[claim.figure]]\nname = "of other sleeps"\nbenchmark = "sleep.Other.time_run"\n'
    cases = *a_series().cases, *(a_series_case(each, benchmark=OTHER.name) for each in ("gather", "sync"))
    assert to_count(a_series(cases=cases), COUNTED + figure).keys() == {GATHER, SYNC}


def test_a_case_is_counted_once():
    """One that could not be counted is tried again, one whose counts are blind is not."""
    counted = add_counts(a_series(), {GATHER: FIVE, SYNC: InstructionCounts(reason="no valgrind")})
    assert to_count(counted).keys() == {SYNC}
    blind = InstructionCounts(other_threads=True)
    assert to_count(add_counts(counted, {SYNC: blind})) == {}


def test_a_case_that_cannot_be_measured_is_not_counted():
    """It failed or was skipped."""
    cases = a_series_case("gather", absence="skipped: no network"), a_series_case("sync")
    assert to_count(a_series(cases=cases)).keys() == {SYNC}


def test_counts_are_kept_while_the_version_of_the_benchmark_stays():
    """As blocks are."""
    earlier = add_counts(a_series(), {GATHER: FIVE, SYNC: FIVE})
    assert resume([a_series()], claim_samples(earlier), frozenset()) == [earlier]
    (resumed,) = resume(
        [a_series(cases=(a_series_case("gather", version="2"), "sync"))], claim_samples(earlier), frozenset()
    )
    assert [case.instructions for case in resumed.cases] == [None, FIVE]


def test_counts_survive_the_file_and_old_files_have_none():
    """The schema stays."""
    samples = claim_samples(add_counts(a_series(1.0), {GATHER: FIVE, SYNC: InstructionCounts(reason="x" * 9000)}))
    read = SAMPLES_FORMAT.decode(encode(samples), "file")
    assert read == samples
    assert len(read.series[0].cases[1].instructions.reason) == MAX_REASON
    old = encode(claim_samples(a_series(1.0))).replace(b',"instructions":null', b"")
    assert b"instructions" not in old
    assert SAMPLES_FORMAT.decode(old, "file") == claim_samples(a_series(1.0))


@pytest.mark.parametrize(
    "broken",
    [
        InstructionCounts(per_call=(1.0,) * (MAX_SEEDS + 1)),
        InstructionCounts(per_call=(-1.0,)),
        InstructionCounts(per_call=(math.inf,)),
        InstructionCounts(reason="x" * (MAX_REASON + 1)),
    ],
)
def test_nonsensical_counts_of_a_file_are_refused(broken):
    """Anyone can write a results branch."""
    case = msgspec.structs.replace(a_series_case("gather"), instructions=broken)
    content = encode(claim_samples(a_series(cases=(case, a_series_case("sync")))))
    with pytest.raises(DataError):
        SAMPLES_FORMAT.decode(content, "file")

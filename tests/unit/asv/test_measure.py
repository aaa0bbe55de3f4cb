"""Cases alternate between rounds, and only numbers are stored."""

import math

import pytest

from windtunnel.asv.measure import process_outcome, rotate
from windtunnel.model.benchmark import Case
from windtunnel.model.run_format import CaseState

CASES = [Case(index=index, name=name) for index, name in enumerate("abc")]


def test_each_round_starts_with_the_next_case():
    """A B C, B C A, C A B: no case always runs after the same other case."""
    orders = ["".join(case.name for case in rotate(CASES, number)) for number in range(4)]
    assert orders == ["abc", "bca", "cab", "abc"]


def test_no_cases_give_an_empty_round():
    """When every case has failed, the next rounds are empty."""
    assert rotate([], 2) == ()


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (1.5, CaseState.MEASURED),
        (3, CaseState.MEASURED),
        (True, CaseState.MEASURED),
        (math.inf, CaseState.MEASURED),
        (math.nan, CaseState.SKIPPED),
        (None, CaseState.FAILED),
        ({"a": 1}, CaseState.FAILED),
        ([1.5], CaseState.FAILED),
        ("text", CaseState.FAILED),
    ],
)
def test_only_numbers_are_measured(value, state):
    """A dict, list or text in a results file would break every later ``asv publish``."""
    assert process_outcome(value, None, "")[0] is state


@pytest.mark.parametrize(
    ("samples", "state"),
    [([1.5, 2], CaseState.MEASURED), ([], CaseState.FAILED), ([1.5, "2"], CaseState.FAILED), (3, CaseState.FAILED)],
)
def test_only_samples_that_are_numbers_are_measured(samples, state):
    """A benchmark type of a plugin may return anything as samples."""
    assert process_outcome(True, samples, "")[0] is state


def test_the_reason_is_the_end_of_the_output():
    """The end of a long output holds the error."""
    _, reason = process_outcome(None, None, "x" * 10_000 + "\nValueError: boom")
    assert reason.endswith("ValueError: boom")
    assert len(reason) <= 2000

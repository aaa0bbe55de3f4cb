"""Cases alternate between rounds, and only numbers are stored."""

import math

import pytest

from windtunnel.asv.measure import NO_SETUP_CACHE, SetupCaches, process_outcome, rotate
from windtunnel.model.benchmark import Case
from windtunnel.model.run_format import error_line

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
        (1.5, "measured"),
        (3, "measured"),
        (True, "measured"),
        (math.inf, "measured"),
        (math.nan, "skipped"),
        (None, "failed"),
        ({"a": 1}, "failed"),
        ([1.5], "failed"),
        ("text", "failed"),
    ],
)
def test_only_numbers_are_measured(value, state):
    """A dict, list or text in a results file would break every later ``asv publish``."""
    assert process_outcome(value, None, "")[0] is state


@pytest.mark.parametrize(
    ("samples", "state"), [([1.5, 2], "measured"), ([], "failed"), ([1.5, "2"], "failed"), (3, "failed")]
)
def test_only_samples_that_are_numbers_are_measured(samples, state):
    """A benchmark type of a plugin may return anything as samples."""
    assert process_outcome(True, samples, "")[0] is state


def test_the_reason_is_the_end_of_the_output():
    """The end of a long output holds the error."""
    output = f"Traceback (most recent call last):\n{'x' * 10_000}\nValueError: boom"
    _, reason = process_outcome(None, None, output, 1)
    assert reason.endswith("ValueError: boom")
    assert len(reason) <= 2000


NOISE = "a library warns at import"


@pytest.mark.parametrize(
    ("value", "exit_code", "output", "reason"),
    [
        (math.nan, 0, NOISE, "it is in skip_params, or it returned NaN"),
        (math.nan, 0, f"{NOISE}\nasv: skipped: NotImplementedError('two') ", "NotImplementedError('two')"),
        (None, 0, NOISE, "the benchmark returned nothing; asv stores only numbers, so return one number"),
        (None, 1, NOISE, "the process ended with exit code 1"),
        (None, 3, NOISE, "the process ended with exit code 3"),
        (None, -11, NOISE, "the process ended with signal SIGSEGV"),
        (None, -200, NOISE, "the process ended with signal 200"),
        (None, -256, f"{NOISE}\n\nasv: benchmark timed out (timeout 1s)\n", "asv: benchmark timed out (timeout 1s)"),
        (None, 1, f"{NOISE}\nTraceback (most recent call last):\nBoom: x", "Boom: x"),
    ],
)
def test_what_a_suite_prints_at_import_is_no_reason(value, exit_code, output, reason):
    """asv's words, an exception or the end of the process is the reason."""
    assert error_line(process_outcome(value, None, output, exit_code)[1]) == reason


class ACreator:
    """Computes setup caches as asv does, and records which benchmark's and with which time limit."""

    def __init__(self, folder, *, output=None):
        self.folder, self.output, self.calls = folder, output, []

    def __call__(self, benchmark, timeout, _):
        self.calls.append((benchmark, timeout))
        if self.output:
            return None, self.output
        made = self.folder / benchmark
        made.mkdir()
        return str(made), None


def caches(create):
    """The caches of two benchmarks that share one, one with its own, and one without any."""
    entries = {
        "a": {"name": "a", "timeout": 60.0, "setup_cache_key": "suite:1"},
        "b": {"name": "b", "timeout": 70.0, "setup_cache_key": "suite:1", "setup_cache_timeout": 300},
        "c": {"name": "c", "timeout": 60.0, "setup_cache_key": "suite:9"},
        "d": {"name": "d", "timeout": 60.0},
    }
    return SetupCaches(entries=entries, create=create)


def test_benchmarks_share_a_setup_cache(tmp_path):
    """It is computed once for a commit, with the longest time limit of its benchmarks, as asv does."""
    create = ACreator(tmp_path)
    made = caches(create)
    found = [made.get(made.entries[name]) for name in "abcda"]
    assert found[0] is found[1] is found[4]
    assert found[0].folder != found[2].folder
    assert found[3] is NO_SETUP_CACHE
    assert create.calls == [("a", 300), ("c", 60.0)]


def test_a_setup_cache_is_removed_after_its_last_benchmark(tmp_path):
    """It may be large."""
    made = caches(ACreator(tmp_path))
    first, second = (made.get(made.entries[name]).folder for name in "ac")
    made.keep_for(("b", "c"))
    assert {path.name for path in tmp_path.iterdir()} == {"a", "c"}
    made.keep_for(("c", "d"))
    assert [str(path) for path in tmp_path.iterdir()] == [second] != [first]
    made.close()
    assert not any(tmp_path.iterdir())


def test_a_failed_setup_cache_is_not_run_again(tmp_path):
    """All its benchmarks fail for the same reason."""
    create = ACreator(tmp_path, output="ValueError: boom")
    made = caches(create)
    assert [made.get(made.entries[name]).failure for name in "ab"] == ["setup_cache failed\nValueError: boom"] * 2
    assert len(create.calls) == 1

"""Cases are selected by their names, as asv's -b does, and a budget keeps the most wanted."""

import pytest
from builders.plans import a_piece

from windtunnel.bench.plan import PlanRequest, budget_of
from windtunnel.bench.sharding import MAX_JOB_SECONDS, MAX_MATRIX_JOBS, apply_budget
from windtunnel.errors import UsageError
from windtunnel.model.benchmark import Benchmark, select
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion

SLEEP = Benchmark(
    name=BenchmarkName("sleep.Sleep.time_run"),
    type_word="time",
    version=BenchmarkVersion("1"),
    params=(("'sync'", "'gather'"), ("'quick'", "'standard'")),
)
PLAIN = Benchmark(name=BenchmarkName("plain.track_size"), type_word="track")


def names(*patterns):
    return [case.name for _, selection in select((SLEEP, PLAIN), patterns) for case in selection.cases]


@pytest.mark.parametrize(
    ("patterns", "selected"),
    [
        (("quick",), ["sleep.Sleep.time_run('sync', 'quick')", "sleep.Sleep.time_run('gather', 'quick')"]),
        ((r"'gather', 'standard'\)",), ["sleep.Sleep.time_run('gather', 'standard')"]),
        (("plain", "gather.*quick"), ["sleep.Sleep.time_run('gather', 'quick')", "plain.track_size"]),
        (("nothing",), []),
    ],
)
def test_patterns_search_the_names_that_asv_shows(patterns, selected):
    """A pattern may match the benchmark or the values of its parameters; any of several will do."""
    assert names(*patterns) == selected


def test_no_pattern_selects_everything():
    """All cases, also those without parameters."""
    assert len(names()) == 5


def test_indices_are_asvs():
    """A selected case keeps its place in asv's order of combinations."""
    (_, selection), *_ = select((SLEEP,), ("standard",))
    assert [case.index for case in selection.cases] == [1, 3]


def test_broken_pattern_is_a_usage_error():
    """The pattern is named."""
    with pytest.raises(UsageError, match=r"'\('"):
        names("(")


def test_budget_keeps_the_first_and_names_the_rest():
    """What is most wanted comes first; what is left out is named."""
    kept, excluded = apply_budget((a_piece("a", seconds=5), a_piece("b", seconds=5), a_piece("c", seconds=5)), 11)
    assert [piece.selection.benchmark for piece in kept] == ["a", "b"]
    assert [item.item for item in excluded] == ["c at c1 on Python 3.12"]


def test_no_budget_is_no_limit():
    """Zero means whatever it takes."""
    assert apply_budget((a_piece(seconds=1e9),), 0) == ((a_piece(seconds=1e9),), ())


@pytest.mark.parametrize(
    ("budget", "shards", "possible"),
    [
        (0, 0, MAX_MATRIX_JOBS * MAX_JOB_SECONDS),
        (0, 2, 2 * MAX_JOB_SECONDS),
        (60, 2, 60),
        (1e9, 2, 2 * MAX_JOB_SECONDS),
    ],
)
def test_a_matrix_has_its_limits(budget, shards, possible):
    """No plan for a job matrix exceeds what its jobs can do before they are ended."""
    request = PlanRequest(commits=None, pythons=(), bench=(), budget=budget, shards=shards, elsewhere=True)
    assert budget_of(request) == possible

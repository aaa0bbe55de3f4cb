"""Cases are selected by name, as asv's -b does; a budget keeps the most important."""

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
def test_patterns_match_asvs_names_of_cases(patterns, selected):
    """A pattern may match the benchmark or the values of its parameters; one match is enough."""
    assert names(*patterns) == selected


def test_without_patterns_every_case_is_selected():
    """Benchmarks without parameters are included."""
    assert len(names()) == 5


def test_a_selected_case_keeps_asvs_index():
    """The index is the position in asv's order of combinations."""
    (_, selection), *_ = select((SLEEP,), ("standard",))
    assert [case.index for case in selection.cases] == [1, 3]


def test_an_invalid_pattern_is_a_usage_error():
    """The message shows the pattern."""
    with pytest.raises(UsageError, match=r"'\('"):
        names("(")


def test_a_budget_keeps_the_first_pieces_and_reports_the_others():
    """The most important pieces come first."""
    kept, excluded = apply_budget((a_piece("a", seconds=5), a_piece("b", seconds=5), a_piece("c", seconds=5)), 11)
    assert [piece.selection.benchmark for piece in kept] == ["a", "b"]
    assert [item.item for item in excluded] == ["c at c1 on Python 3.12"]


def test_a_budget_of_zero_is_no_limit():
    """Every piece is kept."""
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
def test_a_plan_for_a_matrix_fits_into_its_jobs(budget, shards, possible):
    """Its budget is at most what the jobs can run before GitHub ends them."""
    request = PlanRequest(commits=None, pythons=(), bench=(), budget=budget, shards=shards, elsewhere=True)
    assert budget_of(request) == possible

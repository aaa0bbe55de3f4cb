"""Cases are selected by name, as asv's -b does; a budget keeps the most important; environments can be made or not."""

import json
from pathlib import Path

import pytest
from builders.plans import a_piece

from windtunnel.asv.configuration import parse
from windtunnel.asv.protocol import PlannedEnvironment, SuiteEnvironments
from windtunnel.asv.pythons import Interpreter
from windtunnel.bench.commit_selection import PlanRequest
from windtunnel.bench.plan import beyond_default, budget_of, find_environments
from windtunnel.bench.sharding import MAX_JOB_SECONDS, apply_budget, keep_oldest
from windtunnel.errors import UsageError
from windtunnel.model.benchmark import Benchmark, select
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion
from windtunnel.model.settings import MAX_MATRIX_JOBS

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
    assert [piece.selections[0].benchmark for piece in kept] == ["a", "b"]
    assert [item.item for item in excluded] == ["c at c1 on Python 3.12"]


def test_a_budget_of_zero_is_no_limit():
    """Every piece is kept."""
    assert apply_budget((a_piece(seconds=1e9),), 0) == ((a_piece(seconds=1e9),), ())


@pytest.mark.parametrize(
    ("budget", "shards", "possible"),
    [
        (0, 0, MAX_MATRIX_JOBS * MAX_JOB_SECONDS),
        (0, 2, 2 * MAX_JOB_SECONDS),
        (1, 2, 60),
        (10**8, 2, 2 * MAX_JOB_SECONDS),
    ],
)
def test_a_plan_for_a_matrix_fits_into_its_jobs(budget, shards, possible):
    """Its budget is at most what the jobs can run before GitHub ends them."""
    assert budget_of(PlanRequest(budget=budget), shards, elsewhere=True) == possible


class Engine:
    """Answers for asv."""

    def __init__(self, *here, absent=()):
        found = tuple(PlannedEnvironment(python=python, environment=f"py{python}") for python in here)
        reason = "No executable found" if absent else ""
        self.answer = SuiteEnvironments(pythons=(*here, *absent), here=found, reason=reason)

    def ask(self, request, what):
        return iter((self.answer,))


def a_suite(kind):
    return parse(json.dumps({"environment_type": kind}), Path("asv.conf.json"))


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """This machine has one Python."""
    here = (Interpreter(spec="3.12", version="3.12.1", path=Path("/python")),)
    monkeypatch.setattr("windtunnel.bench.plan.find_interpreters", lambda env: here)


def test_uv_needs_a_python_of_this_machine():
    """The others are planned for other machines only."""
    found = find_environments(a_suite("uv"), Engine("3.12", "3.13"), {})
    assert [each.python for each in found.here] == ["3.12"]
    assert [each.python for each in found.elsewhere] == ["3.13"]
    assert found.missing == ("3.13",)


@pytest.mark.parametrize(("value", "here"), [("automatic", ["3.13"]), ("manual", None), ("never", None)])
def test_uv_may_download_a_python_if_the_user_permits_it(value, here):
    """$UV_PYTHON_DOWNLOADS decides; without it, nothing is downloaded."""
    engine, env = Engine("3.13"), {"UV_PYTHON_DOWNLOADS": value}
    if here:
        assert [each.python for each in find_environments(a_suite("uv"), engine, env).here] == here
    else:
        with pytest.raises(UsageError, match=r"3\.13 is on this machine; install Python 3\.13 \(for"):
            find_environments(a_suite("uv"), engine, env)


@pytest.mark.parametrize("kind", ["conda", "mamba", "rattler", "pixi", "existing", "virtualenv"])
def test_asv_knows_what_other_types_can_make(kind):
    """Some bring their own Python, and virtualenv finds it itself."""
    found = find_environments(a_suite(kind), Engine("3.99", absent=("3.98",)), {})
    assert ([each.python for each in found.here], found.missing) == (["3.99"], ("3.98",))


def test_a_type_that_is_not_installed_is_named_with_asvs_reason():
    """No Python needs to be installed for it."""
    with pytest.raises(UsageError, match="type 'conda' here: No executable found"):
        find_environments(a_suite("conda"), Engine(absent=("3.12",)), {})


def test_a_matrix_without_environments_is_named():
    """asv describes nothing when the rules exclude everything."""
    with pytest.raises(UsageError, match="excludes every environment"):
        find_environments(a_suite("virtualenv"), Engine(), {})


def test_new_commits_over_the_budget_are_left_to_the_next_plan():
    """The oldest are planned, and whole: a later plan goes on after the newest measured commit."""
    pieces = tuple(
        a_piece(benchmark, commit=commit, seconds=5) for commit in ("new", "mid", "old") for benchmark in "ab"
    )
    kept, excluded = keep_oldest(pieces, 25)
    assert [piece.commit for piece in kept] == ["mid", "mid", "old", "old"]
    assert [one.item for one in excluded] == ["commit new"]
    assert "--new" in excluded[0].reason
    assert keep_oldest(pieces, 0) == (pieces, ())
    kept, excluded = keep_oldest(pieces, 7)  # one commit alone is over the budget: as much of it as possible
    assert [(piece.commit, piece.selections[0].benchmark) for piece in kept] == [("old", "a")]
    assert len(excluded) == 3


@pytest.mark.parametrize(
    ("here", "left_out"),
    [
        (("3.11", "3.12", "3.13", "3.14"), ("3.12",)),
        (("3.14", "3.13", "3.11"), ()),
        (("3.11", "3.14t", "pypy3.11", "3.14", "3.13"), ("3.14t", "pypy3.11")),
        (("3.14t", "pypy3.11", "3.13t", "3.12"), ("3.13t",)),
        ((), ()),
    ],
)
def test_three_pythons_are_measured_unless_some_are_named(here, left_out):
    """The oldest and the newest two answer what a first run asks."""
    assert beyond_default(here) == left_out

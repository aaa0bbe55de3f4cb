"""The outputs of a workflow step fit into what GitHub accepts, or the message says what to change."""

import io
import json
from pathlib import Path

import pytest
from builders.plans import a_piece
from builders.repositories import ENV, a_repository, commit, git

from windtunnel.asv.configuration import parse
from windtunnel.bench.commit_selection import PlanRequest
from windtunnel.bench.format import PLAN_SCHEMA, Excluded, Plan
from windtunnel.bench.sharding import distribute, shared_builds
from windtunnel.cli.console import NORMAL, VERBOSE, Console
from windtunnel.cli.plan import build_matrix_of, default_revisions, log_plan, matrix_of, refuse_uncountable
from windtunnel.cli.workflow_run import MAX_OUTPUT_BYTES, write_github_output
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository
from windtunnel.model.settings import MAX_MATRIX_JOBS


def a_plan(shards):
    """A plan with many commits in many environments, for *shards* jobs."""
    pieces = [
        a_piece(f"b{benchmark}", commit=f"{commit:040}", environment=f"e{commit % 20}", seconds=3600.0, cases=2)
        for commit in range(300)
        for benchmark in range(3)
    ]
    cut = distribute(pieces, shards)
    return Plan(
        schema=PLAN_SCHEMA, project="p", config="c", environments=(), shards=cut, excluded=(), benchmarks="{}",
        builds=shared_builds((*cut, *cut), {}),
    )  # fmt: skip


def test_the_largest_plan_fits_into_a_matrix(tmp_path):
    """256 jobs of each kind, and 1 MiB of outputs (docs.github.com, "Actions limits" and "Workflow syntax")."""
    plan = a_plan(MAX_MATRIX_JOBS)
    matrices = [matrix_of(plan, "virtualenv"), build_matrix_of(plan, "virtualenv")]
    assert [len(json.loads(one)["include"]) for one in matrices] == [256, 256]
    env = {"GITHUB_OUTPUT": str(tmp_path / "output")}
    write_github_output(env, {"matrix": matrices[0], "builds": matrices[1], "shards": "256", "cases": "1800"})


def test_outputs_that_github_would_refuse_are_refused_with_a_remedy(tmp_path):
    """A job's outputs take at most 1 MB in UTF-16 (docs.github.com, Workflow syntax, jobs.<job_id>.outputs)."""
    file = tmp_path / "output"
    env = {"GITHUB_OUTPUT": str(file)}
    write_github_output(env, {"m": "x" * (MAX_OUTPUT_BYTES // 2 - 3)})
    before = file.read_bytes()
    with pytest.raises(UsageError, match=rf"1048578 bytes, and GitHub accepts {MAX_OUTPUT_BYTES}; .*fewer shards"):
        write_github_output(env, {"m": "x" * (MAX_OUTPUT_BYTES // 2 - 2)})
    assert file.read_bytes() == before


UNCHANGED = "nothing that is timed differs from its parent"
EXCLUDED = (
    Excluded(item="commit aaaa", reason=UNCHANGED),
    Excluded(item="Python 3.99", reason="not found"),
    Excluded(item="commit bbbb", reason=UNCHANGED),
    Excluded(item="commit cccc", reason=UNCHANGED),
)


@pytest.mark.parametrize(
    ("level", "details"),
    [(NORMAL, []), (VERBOSE, [f"left out: commit {name}: {UNCHANGED}" for name in ("bbbb", "cccc")])],
)
def test_what_is_left_out_for_one_reason_is_one_line(level, details):
    """A long history does not fill the screen; --verbose lists every commit."""
    err = io.StringIO()
    plan = Plan(schema=1, project="p", config="c", environments=(), shards=(), excluded=EXCLUDED, benchmarks="")
    log_plan(plan, Console(out=io.StringIO(), err=err, level=level))
    assert err.getvalue().replace("windtunnel: ", "").splitlines() == [
        f"left out: commit aaaa and 2 more: {UNCHANGED}",
        *details,
        "left out: Python 3.99: not found",
        "nothing new to measure",
    ]


def test_the_first_commit_is_head_or_that_of_the_branch(tmp_path):
    """A clone that the tool made has nothing checked out, so its measured branch decides."""
    root = a_repository(tmp_path / "project", "one")
    git(root, "branch", "release")
    new = commit(root, "two")
    git(tmp_path, "clone", "--quiet", "--bare", "project", "clone.git")
    work_tree, clone = Repository.at(root, ENV), Repository.at(tmp_path / "clone.git", ENV)
    suite = parse('{"branches": ["release"]}', Path("asv.conf.json"))
    old = git(root, "rev-parse", "release")
    assert default_revisions(None, suite, work_tree) == "HEAD"
    assert default_revisions("release", suite, work_tree) == old
    assert default_revisions(None, suite, clone) == old
    assert default_revisions("main", suite, clone) == new


@pytest.mark.parametrize(("kind", "versions"), [("virtualenv", "3.12"), ("uv", "3.12"), ("conda", "")])
def test_jobs_set_up_the_pythons_that_their_environments_use(kind, versions):
    """The type that --python names decides: a suite for conda may be measured with virtualenv."""
    shards = distribute((a_piece(),), 1)
    plan = Plan(schema=1, project="p", config="c", environments=(), shards=shards, excluded=(), benchmarks="")
    (job,) = json.loads(matrix_of(plan, kind))["include"]
    assert job["versions"] == versions


def test_counting_needs_valgrind_before_anything_is_measured(tmp_path):
    """Cases that are skipped for want of it would not be tried again."""
    with pytest.raises(UsageError, match="apt-get install valgrind"):
        refuse_uncountable(PlanRequest(instructions=True), {"PATH": str(tmp_path)})
    refuse_uncountable(PlanRequest(), {"PATH": str(tmp_path)})

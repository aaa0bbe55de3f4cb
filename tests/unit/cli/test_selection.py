"""What ``plan`` and ``bench`` report of a plan, and where they start."""

import io
import json
from pathlib import Path

import pytest
from builders.plans import a_piece
from builders.repositories import ENV, a_repository, commit, git

from windtunnel.asv.configuration import parse
from windtunnel.bench.commit_selection import PlanRequest
from windtunnel.bench.format import Excluded, Plan
from windtunnel.bench.sharding import distribute
from windtunnel.cli.console import NORMAL, VERBOSE, Console
from windtunnel.cli.plan import matrix_of
from windtunnel.cli.selection import default_revisions, log_plan, refuse_uncountable
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository

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

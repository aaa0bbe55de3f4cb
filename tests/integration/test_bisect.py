"""Finding a commit on real git with real builds."""

import json
import sys

import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import PYPROJECT, a_project, change

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

SUITE = """\
import spam

def time_work():
    spam.work()
def time_other():
    spam.work()
for one in (time_work, time_other):
    one.version, one.number, one.repeat, one.warmup_time = "1", 5, 5, 0.02
"""


def a_package(size, comment=""):
    return f"def work():\n    return sum(range({size}))\n# {comment}\n"


BROKEN = {"pyproject.toml": PYPROJECT.replace('"1"', "1")}
WHOLE = {"pyproject.toml": PYPROJECT}


@pytest.fixture(scope="module")
def suite(tmp_path_factory, furnish):
    """A history whose fourth commit triples the work, and a branch on which the commit before that does not build."""
    folder = tmp_path_factory.mktemp("bisected") / "project"
    a_project(folder, pythons=(HERE,), suite=SUITE, package=a_package(20_000))
    git(folder, "tag", "good")
    change(folder, {"README.md": "words"}, "words only")
    change(folder, {"spam/__init__.py": a_package(20_000, "tidy")}, "tidy up")
    change(folder, {"spam/__init__.py": a_package(60_000)}, "three times the work")
    git(folder, "tag", "culprit")
    change(folder, {"spam/__init__.py": a_package(60_000, "later")}, "later")
    git(folder, "checkout", "--quiet", "-b", "gap", "good")
    change(folder, BROKEN, "does not build")
    change(folder, {**WHOLE, "spam/__init__.py": a_package(60_000)}, "builds again")
    git(folder, "checkout", "--quiet", "main")
    furnish(folder, "base", "head")
    return folder


def bisect(suite, *argv):
    out = suite / "bisect.json"
    out.unlink(missing_ok=True)
    done = windtunnel(suite, "bisect", *argv, "--out", out)
    return done, json.loads(out.read_text()) if out.exists() else None


def test_the_commit_is_found_and_the_search_is_stored(suite):
    """Irrelevant commits are skipped, and the same call again measures nothing."""
    done, found = bisect(suite, "time_work", "good", "main")
    assert done.returncode == 0, done.stderr
    assert found["answer"] == "commit"
    assert found["after"] == git(suite, "rev-parse", "culprit")
    assert "words only" not in {one["subject"] for one in found["candidates"]}
    assert 0 < found["interval"]["low"] < 2.0 < found["interval"]["high"]
    assert "(three times the work) changed spam_suite.time_work by +" in done.stdout
    again, same = bisect(suite, "time_work", "good", "main")
    assert again.returncode == 0, again.stderr
    assert same == found
    assert "the search continues" in again.stderr
    assert "rounds against" not in again.stderr


def test_commits_that_do_not_build_leave_a_range(suite):
    """The answer names both, with the message of the build."""
    done, found = bisect(suite, "spam_suite.time_work", "good", "gap")
    assert done.returncode == 0, done.stderr
    assert found["answer"] == "range"
    assert "One of 2 commits changed spam_suite.time_work" in done.stdout
    assert "(does not build): " in done.stdout
    assert "install of head failed" in done.stdout


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("time_work", "main", "good"), "is not an ancestor of"),
        (("time_work", "good", "good"), "are both"),
        (("time_work", "good", "nowhere"), "no commit 'nowhere'"),
    ],
)
def test_invalid_requests_are_explained(suite, argv, message):
    """Nothing is built before; bisect.json has the reason, for the answer to a comment."""
    done, found = bisect(suite, *argv)
    assert done.returncode == 2
    assert message in done.stderr
    assert (found["answer"], message in found["reason"]) == ("failed", True)


@pytest.mark.parametrize("wanted", ["time_nothing", "time_work("])
def test_a_name_that_the_good_commit_lacks_is_refused_before_the_bad_one_is_built(suite, wanted):
    """The bad commit here does not build; the name is refused all the same."""
    git(suite, "checkout", "--quiet", "--detach", "good")
    change(suite, BROKEN, "does not build")
    bad = git(suite, "rev-parse", "HEAD")
    git(suite, "checkout", "--quiet", "main")
    done, found = bisect(suite, wanted, "good", bad)
    assert done.returncode == 2, done.stderr
    assert f"BENCHMARK {wanted!r}" in done.stderr
    assert f"BENCHMARK {wanted!r}" in found["reason"]


def test_an_ambiguous_case_is_refused(suite):
    """The message lists the cases."""
    done, _ = bisect(suite, "time_", "good", "main")
    assert done.returncode == 2
    assert "matches 2 cases; name one of them: 'spam_suite.time_other', 'spam_suite.time_work'" in done.stderr

"""Finding a commit on real git with real builds."""

import json
import re
import shutil
import sys

import pytest
from builders.commands import windtunnel
from builders.observations import an_alert_at
from builders.package_index import a_wheel
from builders.records import a_build, a_record, a_task
from builders.repositories import git
from builders.suites import PYPROJECT, a_project, change
from msgspec.structs import replace

from windtunnel.compare.bisector import SEEDS
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts
from windtunnel.errors import DataError
from windtunnel.model.run_format import RUN_FORMAT
from windtunnel.model.schedule import InstructionCounts

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

SUITE = """\
import spam

NOW = [0]

def clock():
    return NOW[0]
def time_work():
    NOW[0] += spam.work() / 1e6
def time_other():
    time_work()
for one in (time_work, time_other):
    one.version, one.number, one.repeat, one.warmup_time, one.timer = "1", 1, 5, 0, clock
"""
"""Its clock shows the work alone, so that other programs on the machine change no time."""


def a_package(size, comment=""):
    return f"def work():\n    sum(range({size}))\n    return {size}\n# {comment}\n"


BROKEN = {"pyproject.toml": PYPROJECT.replace('"1"', "1")}
WHOLE = {"pyproject.toml": PYPROJECT}


@pytest.fixture(scope="module")
def suite(tmp_path_factory, furnish):
    """A history whose fourth commit triples the work, and a branch on which the commit before that does not build."""
    folder = tmp_path_factory.mktemp("bisected") / "project"
    a_project(folder, pythons=(HERE,), suite=SUITE, package=a_package(9_000))
    git(folder, "tag", "good")
    change(folder, {"spam/__init__.py": a_package(9_000, "tidy")}, "tidy up")
    change(folder, {"README.md": "words"}, "words only")
    change(folder, {"spam/__init__.py": a_package(27_000)}, "three times the work")
    git(folder, "tag", "culprit")
    change(folder, {"spam/__init__.py": a_package(27_000, "later")}, "later")
    git(folder, "checkout", "--quiet", "-b", "gap", "good")
    change(folder, BROKEN, "does not build")
    change(folder, {**WHOLE, "spam/__init__.py": a_package(27_000)}, "builds again")
    git(folder, "checkout", "--quiet", "main")
    furnish(folder, "base", "head")
    return folder


def bisect(suite, *argv, **env):
    out = suite / "bisect.json"
    out.unlink(missing_ok=True)
    done = windtunnel(suite, "bisect", *argv, "--out", out, **env)
    return done, json.loads(out.read_text()) if out.exists() else None


def test_the_commit_is_found_and_the_search_is_stored(suite):
    """Irrelevant commits are skipped, and the same call again measures nothing."""
    done, found = bisect(suite, "time_work", "good", "culprit", "--no-instructions", code=0)
    assert found["answer"] == "commit"
    assert found["after"] == git(suite, "rev-parse", "culprit")
    assert "words only" not in {one["subject"] for one in found["candidates"]}
    assert 0 < found["interval"]["low"] < 2.0 < found["interval"]["high"]
    assert "(three times the work) changed spam_suite.time_work by +" in done.stdout
    again, same = bisect(suite, "time_work", "good", "culprit", "--no-instructions", code=0)
    assert same == found
    assert "the search continues" in again.stderr
    assert "rounds against" not in again.stderr


def test_commits_that_do_not_build_leave_a_range(suite):
    """The answer names both, with the message of the build."""
    done, found = bisect(suite, "spam_suite.time_work", "good", "gap", "--no-instructions", code=0)
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
    done, found = bisect(suite, *argv, code=2)
    assert message in done.stderr
    assert (found["answer"], message in found["reason"]) == ("failed", True)


@pytest.mark.parametrize("wanted", ["time_nothing", "time_work("])
def test_a_name_that_the_good_commit_lacks_is_refused_before_the_bad_one_is_built(suite, wanted):
    """The bad commit here does not build; the name is refused all the same."""
    git(suite, "checkout", "--quiet", "--detach", "good")
    change(suite, BROKEN, "does not build")
    bad = git(suite, "rev-parse", "HEAD")
    git(suite, "checkout", "--quiet", "main")
    done, found = bisect(suite, wanted, "good", bad, code=2)
    assert f"BENCHMARK {wanted!r}" in done.stderr
    assert f"BENCHMARK {wanted!r}" in found["reason"]


def test_an_ambiguous_case_is_refused(suite):
    """The message lists the cases."""
    done, _ = bisect(suite, "time_", "good", "main", code=2)
    assert "matches 2 cases; name one of them: 'spam_suite.time_other', 'spam_suite.time_work'" in done.stderr


def a_results_tree(folder, runs):
    """A results tree whose run records list the packages of *runs*, by commit, and *folder*."""
    (folder / "records").mkdir(parents=True)
    for number, (commit, packages) in enumerate(runs.items()):
        task = replace(a_task(python=HERE), commit=commit, environment=f"uv-py{HERE}", build=a_build(packages=packages))
        (folder / "records" / f"{number}.record").write_bytes(RUN_FORMAT.encode(a_record(task)))
    return folder


needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")


def no_profile(*_):
    raise DataError("not in this test")


def counted(suite):
    """What counts instead of valgrind, which takes three seconds for a commit: the size in the installed package."""
    folder = suite / ".windtunnel/compare/env"

    def count(_, cases, commits, seeds):
        installed = (folder.glob(f"{commit}/*/lib/*/site-packages/spam/__init__.py") for commit in commits)
        sizes = [float(re.search(r"range\((\d+)\)", path.read_text())[1]) for (path,) in installed]
        found = tuple(InstructionCounts(per_call=(size,) * len(seeds), calls=1) for size in sizes)
        return {one.samples.identity: found for one in cases}

    return count


@needs_valgrind
def test_an_alert_is_searched_by_counts_and_keeps_the_commit(suite, tmp_path, monkeypatch):
    """Choosing counts the minutes; the search takes one count a commit; the next choice finds nothing to do.

    Real counts and profiles have tests of their own.
    """
    monkeypatch.setattr("windtunnel.compare.environment_pair.EnvironmentPair.count", counted(suite))
    monkeypatch.setattr("windtunnel.compare.bisector.profile_case", no_profile)
    culprit = git(suite, "rev-parse", "culprit")
    commits = git(suite, "rev-list", "--reverse", "culprit~2..culprit").splitlines()
    environment = f"uv-py{HERE}"
    alert = an_alert_at("spam_suite.time_work", commits, environment=environment, relative_change=2.0)
    path, request, answer = (tmp_path / name for name in ("alerts.json", "request.json", "bisect.json"))
    path.write_bytes(ALERTS_FORMAT.encode(Alerts(alerts=(alert,))))
    choose = ("bisect", "--next-alert", "--alerts", path, "--out", request)
    output = tmp_path / "output"
    chosen = windtunnel(suite, *choose, "--github-output", GITHUB_OUTPUT=str(output))
    assert chosen.stdout.startswith(f"{alert.id}: spam_suite.time_work"), chosen.stderr
    assert f"\n{request.read_text().strip()}\n" in output.read_text(), "another job gets the search as an output"
    shutil.rmtree(suite / ".windtunnel" / "bisect", ignore_errors=True)
    done = windtunnel(suite, "bisect", "--request", request, "--out", answer, code=0)
    found = json.loads(answer.read_text())
    assert (found["answer"], found["after"], found["decided_by"]) == ("commit", culprit, "instructions")
    assert found["relative_change"] == pytest.approx(2.0, abs=0.1)
    assert [one["counts"]["per_call"] for one in found["measured"]] == [[27_000.0] * len(SEEDS)]
    assert not any(one["processes"] for one in found["measured"])
    assert "no profile: not in this test" in done.stderr
    assert "in instructions (bad against good)" in done.stdout
    assert "instructions decide" in done.stdout
    windtunnel(suite, "ci", "record-bisection", alert.id, answer, "--alerts", path, "--no-issues", code=0)
    after = ALERTS_FORMAT.decode(path.read_bytes(), "alerts.json")
    assert (after.alerts[0].bisection.after, after.bisected.minutes) == (culprit, 60)
    request.unlink()
    assert windtunnel(suite, *choose).stdout == ""
    assert not request.exists()


DEPENDENT = """\
try:
    from eggs_size import SIZE
except ImportError:
    SIZE = 1
def work():
    return sum(range(SIZE * 1000))
"""


@pytest.fixture(scope="module")
def dependent(tmp_path_factory, furnish):
    """A project that depends on a package, of which a folder has two releases; run records of two commits."""
    folder = tmp_path_factory.mktemp("dependent")
    for version, size in (("1", 5), ("2", 20)):
        a_wheel(folder / "wheels", "eggs_size", version, {"eggs_size.py": f"SIZE = {size}\n"})
    project = a_project(folder / "project", pythons=(HERE,), suite=SUITE, package=DEPENDENT)
    change(project, {"spam/more.py": "1\n"}, "equivalent")
    furnish(project, "base", "head", below="packages")
    good, bad = git(project, "rev-list", "--reverse", "HEAD").splitlines()
    moved = {commit: (f"eggs-size=={n}", "same==1") for commit, n in ((good, 1), (bad, 2))}
    a_results_tree(folder / "results", moved)
    return project


def test_the_release_of_a_dependency_is_found(dependent):
    """From an index, in environments of its own: those of other commands stay as they are."""
    folder = dependent.parent
    good, bad = git(dependent, "rev-list", "--reverse", "HEAD").splitlines()
    index = {"PIP_FIND_LINKS": str(folder / "wheels"), "PIP_NO_INDEX": "1"}
    options = ("--results", folder / "results", "--packages", "--no-instructions")
    done, found = bisect(dependent, "time_work", good, bad, *options, **index)
    assert done.returncode == 0, done.stderr
    assert (found["answer"], found["before"], found["after"]) == ("commit", "(before)", "eggs-size")
    assert found["alone_shows"] is True
    assert done.stdout.startswith("eggs-size 1 → 2 changed spam_suite.time_work by +")
    assert not (dependent / ".windtunnel" / "compare" / "env").exists()


def test_runs_with_equal_packages_have_nothing_to_search(dependent, tmp_path):
    """Nothing is built."""
    good, bad = git(dependent, "rev-list", "--reverse", "HEAD").splitlines()
    results = a_results_tree(tmp_path / "results", {good: ("x==1",), bad: ("x==1",)})
    done, found = bisect(dependent, "time_work", good, bad, "--results", results, "--packages", code=3)
    assert "no package differs between the runs" in done.stderr
    assert found["answer"] == "failed"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "name BENCHMARK GOOD BAD"),
        (("time_work", "good"), "name BENCHMARK GOOD BAD"),
        (("time_work", "good", "main", "--alert", "5d0c6f"), "name BENCHMARK GOOD BAD"),
        (("time_work", "good", "main", "--packages"), "name the results tree with --results"),
    ],
)
def test_options_that_contradict_each_other_are_refused(suite, argv, message):
    """The message says what is missing."""
    done, _ = bisect(suite, *argv, code=2)
    assert message in done.stderr

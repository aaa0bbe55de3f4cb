"""The map of what cases run, from the run of the main branch to the comparison of a pull request."""

import json

import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import change
from msgspec.structs import replace

from windtunnel.model.reach_map import KEPT_FORMAT, unpack
from windtunnel.results.record_files import map_file, read_maps

PACKAGE = """\
def one(): return sum(range({one}))

def two(): return sum(range(1000))

def never(): return {never}
"""
SUITE = """\
import spam

def time_one(): spam.one()
def time_two(): spam.two()
for each in time_one, time_two:
    each.version, each.number, each.repeat, each.warmup_time = "1", 1, 2, 0
del each

class Sized:
    params = [1, 2]
    number, repeat, warmup_time = 1, 2, 0
    def track_size(self, size): return size
"""
RESULTS = ".asv/results"


@pytest.fixture
def measured(project):
    """A project whose newest commit a run of the main branch has measured, in two shards."""
    files = {"spam/__init__.py": PACKAGE.format(one=1000, never=1), "suite/spam_suite.py": SUITE}
    change(project, files, "three functions")
    beside = project.parent
    assert windtunnel(project, "ci", "plan", "--out", beside / "plan.json", "--shards", "2").returncode == 0
    plan, shards = ("--plan", beside / "plan.json"), [beside / f"shard-{number}" for number in range(2)]
    for number, folder in enumerate(shards):
        windtunnel(project, "ci", "run", *plan, "--shard", number, "--out", folder, code=0)
    assert windtunnel(project, "merge", *shards, "--into", RESULTS, *plan).returncode == 0
    return project


def kept_map(project):
    """The one map in the results of *project*."""
    (kept,), problems = read_maps(project / RESULTS)
    assert problems == ()
    return kept


def test_the_main_branch_leaves_what_its_cases_run(measured):
    """With the results, under the names of the cases, from all shards; another run does not change it."""
    kept = kept_map(measured)
    assert (kept.commit, kept.total) == (git(measured, "rev-parse", "HEAD"), 4)
    found = unpack(kept).cases
    assert found.keys() == {
        *("spam_suite.Sized.track_size(1)", "spam_suite.Sized.track_size(2)"),
        *("spam_suite.time_one", "spam_suite.time_two"),
    }
    assert found["spam_suite.time_one"].functions["spam/__init__.py"] == ("one",)
    assert not any(each.reason for each in found.values())
    assert windtunnel(measured, "merge", measured.parent / "shard-0", "--into", RESULTS).returncode == 0
    assert kept_map(measured) == kept


def test_a_pull_request_that_no_benchmark_runs_is_told_without_a_build(measured):
    """The real map of a real suite."""
    change(measured, {"spam/__init__.py": PACKAGE.format(one=1000, never=2)}, "never runs")
    done = windtunnel(measured, "ci", "prepare", "HEAD~1", "HEAD", "--out", "prepared", "--results", RESULTS)
    assert "None of 4 cases runs what differs" in done.stdout
    verdict = json.loads((measured / "prepared" / "verdict.json").read_text())
    assert verdict["reach"]["unreached"] == ["spam/__init__.py"]
    report = windtunnel(measured, "report", "prepared/verdict.json", "--format", "markdown")
    assert "No benchmark runs the changed code: `spam/__init__.py`" in report.stdout


def compared(project, *argv):
    """Compare the last two commits of *project*: the reach, and the cases that ran to find out what they run."""
    done = windtunnel(
        project, "compare", "HEAD~1", "HEAD", "--rounds", "2", "--seed", "1", "--instructions", "none", *argv
    )
    reach = json.loads((project / "verdict.json").read_text())["reach"]
    found = [json.loads(path.read_bytes()) for path in project.glob(".windtunnel/compare/*/reach/*.json")]
    return done, reach, {key for each in found for key in each["cases"]}


def test_only_cases_that_run_what_differs_run_to_find_out_what_they_run(measured, furnish):
    """The map of base says it of the others."""
    furnish(measured, "base", "head")
    change(measured, {"spam/__init__.py": PACKAGE.format(one=2000, never=1)}, "slower")
    done, reach, ran = compared(measured)
    assert ran == {"spam_suite.time_one-0"}
    assert (reach["cases"], reach["reached"]) == (4, 1)
    assert reach["map_commit"] == git(measured, "rev-parse", "HEAD~1")
    assert f"the map of {reach['map_commit'][:10]}, stored with the results" in done.stdout


def test_a_map_of_other_packages_is_not_used(measured, furnish):
    """Another version of a dependency may run other functions: each case runs again."""
    furnish(measured, "base", "head")
    change(measured, {"spam/__init__.py": PACKAGE.format(one=2000, never=1)}, "slower")
    kept = kept_map(measured)
    path = map_file(measured / RESULTS, kept)
    packages = (*kept.build.packages, "numpy==1")
    path.write_bytes(KEPT_FORMAT.encode(replace(kept, build=replace(kept.build, packages=packages))))
    _, reach, ran = compared(measured)
    assert (len(ran), reach["map_commit"], reach["reached"]) == (4, "", 1)

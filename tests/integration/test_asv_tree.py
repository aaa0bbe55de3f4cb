"""The data of ``--asv-compatible`` equals that of ``asv publish`` for the same results."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import pytest
from asv.graph import GraphSet
from builders.asv_trees import require_equal_graphs
from builders.published import a_history, a_measured, command
from builders.repositories import ENV, git
from builders.trees import a_benchmark, a_row, a_run, a_tree

from windtunnel.asv.site_graphs import find_steps
from windtunnel.model.identity import Field
from windtunnel.model.result import Failed, Interval, Measured, Skipped
from windtunnel.results.tree import write_tree

RUNS = 24
CONFIG = {
    "version": 1,
    "project": "toy",
    "project_url": "https://example.org/",
    "repo": ".",
    "branches": ["main", "old"],
    "results_dir": "../results",
    "html_dir": "../html",
    "regressions_thresholds": {"parser.time_scan.*": 0.01},
    "regressions_first_commits": {"quiet.*": None},
}


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """The folders that asv and Windtunnel made of the same results."""
    where = tmp_path_factory.mktemp("asv")
    repo, commits = a_history(where / "repo", [f"change {index}" for index in range(RUNS)], releases=(3, 9))
    git(repo, "branch", "old", commits[5])
    git(repo, "checkout", "--quiet", "--orphan", "aside")
    git(repo, "commit", "--quiet", "--allow-empty", "-m", "aside")
    git(repo, "tag", "aside-1")
    aside = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "checkout", "--quiet", "main")
    (repo / "asv.conf.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    write_tree(results_of([*commits, aside]), where / "results")
    options = ("--config", repo / "asv.conf.json", "--out", where / "site")
    command("publish", where / "results", *options, "--asv-compatible")
    asv = [sys.executable, "-m", "asv", "publish", "--no-pull"]
    done = subprocess.run(asv, cwd=repo, env=ENV | {"PYTHONPATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return where / "html", where / "site"


def results_of(commits):
    """A step, a grid whose parameters change, failures, gaps, an old version, variables that come and go."""
    scan, grid = a_benchmark("parser.time_scan"), a_benchmark("parser.time_grid", n=["1", "2", "'a/b'"])
    before = replace(grid, params=(("0", "1"),))
    quiet, gone = a_benchmark("quiet.time_it", version="2"), a_benchmark("gone.time_it")
    never = a_benchmark("never.time_it")

    def rows(index):
        slow = 1.0 + 0.3 * (index >= RUNS // 2) + 0.001 * (index * 7 % 5)
        yield a_row(scan, Failed() if index == 4 else a_measured(slow))
        if index < 6:
            yield a_row(before, a_measured(3.0), Skipped())
        elif index != 8:
            bare = Measured(value=2.0 * slow, interval=Interval(low=-math.inf, high=math.inf))
            yield a_row(grid, bare, Failed() if index % 5 else a_measured(slow), Measured(value=7.0))
        yield a_row(quiet, a_measured(slow), version="1" if index < 3 else "2")
        yield a_row(gone)
        yield a_row(never, Skipped())

    def run(index, commit, python, **more):
        kernel = "6.1" if index < 4 else "6.8"
        params = [Field(name="os", json=f'"Linux {kernel}"'), Field(name="python", json=f'"{python}"')]
        if index % 3:
            params.append(Field(name="ram", json="null"))
        made = a_run(*rows(index), python=python, date=1_700_000_000_000 + index * 86_400_000, **more)
        return replace(made, commit=commit, params=tuple(sorted(params)))

    made = [run(index, commit, python) for index, commit in enumerate(commits) for python in ("3.12", "3.13")]
    again = run(7, commits[7], "3.12", environment="conda-py3.12")
    flagged = run(2, commits[2], "3.13", environment="flagged")
    variables = (Field(name="FLAGS", json='"-O3"'),)
    flagged = replace(flagged, environment=replace(flagged.environment, variables=variables))
    return a_tree(*made, again, flagged, benchmarks=[scan, grid, quiet, never])


def read(folder, pattern):
    """The JSON files of *folder* by path."""
    paths = folder.glob(pattern)
    return {path.relative_to(folder).as_posix(): json.loads(path.read_text(encoding="utf-8")) for path in paths}


def test_graphs_equal_those_of_asv(trees):
    """For every benchmark, branch and environment, and for the summaries."""
    theirs, ours = (read(folder, "graphs/**/*.json") for folder in trees)
    assert len(theirs) > 20
    require_equal_graphs(ours, theirs)


def test_the_index_equals_that_of_asv(trees):
    """Revisions, dates, parameters, machines and tags; the order of combinations may differ."""
    theirs, ours = (read(folder, "index.json")["index.json"] for folder in trees)
    for index in (theirs, ours):
        index["graph_param_list"].sort(key=lambda each: json.dumps(each, sort_keys=True))
    assert ours == theirs


def test_regressions_equal_those_of_asv(trees):
    """asv's thresholds and exclusions apply."""
    theirs, ours = (read(folder, "regressions.json")["regressions.json"]["regressions"] for folder in trees)
    assert theirs
    ours, theirs = (sorted(json.dumps(each, sort_keys=True) for each in found) for found in (ours, theirs))
    assert ours == theirs


def test_the_data_depends_on_the_results_alone(trees):
    """Its date is that of the newest result; asv writes the time of publishing."""
    theirs, ours = (read(folder, "info.json")["info.json"] for folder in trees)
    assert ours["asv-version"] == theirs["asv-version"]
    assert ours["timestamp"] < theirs["timestamp"]


def test_steps_are_the_same_in_one_process_and_in_two():
    """Large histories are searched in several processes."""
    alone, together = some_graphs(), some_graphs()
    find_steps(alone, cores=1)
    find_steps(together, cores=2, many=1)
    found, expected = ([graph.get_steps() for _, graph in graphs] for graphs in (together, alone))
    assert found == expected
    assert [len(steps) for steps in expected] == [2, 1]


def some_graphs():
    """A level that changes, and one that does not."""
    graphs = GraphSet()
    for name, step in (("a", 0.5), ("b", 0.0)):
        graph = graphs.get_graph(name, {"machine": "desk"})
        for revision in range(40):
            graph.add_data_point(revision, 1.0 + step * (revision >= 20) + 0.001 * (revision % 3))
    return graphs

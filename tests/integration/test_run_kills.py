"""kill -9 of run and merge at random times loses no stored result, and the next command completes.

``make test`` runs a reduced tier; ``WINDTUNNEL_PRESSURE=full make test ARGS="-n 0 -s -k run_kills"`` kills 100 runs and
100 merges and prints the figures of docs/reference/results-format.md.
"""

import os
import random
import sys

from builders.commands import is_killed, seconds_of, windtunnel
from builders.results import a_results_folder, a_shard, contents

from windtunnel import formats
from windtunnel.model.run import Measured
from windtunnel.model.run_format import RunRecord
from windtunnel.results.merge import merge_trees
from windtunnel.results.tree import files_of, read_tree

FULL = os.environ.get("WINDTUNNEL_PRESSURE") == "full"
RUNS, MERGES = (100, 100) if FULL else (1, 4)
COMMITS = 40
"""Runs in the tree that is merged into, so that a kill can hit between two of its files."""


def measured(tree):
    """The cases of *tree* that have a value."""
    return {
        (run.commit, row.name, place)
        for run in tree.runs
        for row in run.rows
        for place, result in enumerate(row.results)
        if isinstance(result, Measured)
    }


def test_a_killed_merge_leaves_complete_files(tmp_path):
    """Each file is the old or the new one; the next merge adds the rest."""
    into = a_results_folder(tmp_path / "all", *(a_shard(0, commit=n) for n in range(1, COMMITS + 1)))
    usual = seconds_of(tmp_path, "merge", into, "--into", into)
    chance, killed, partly = random.Random(22), 0, 0
    for trial in range(1, MERGES + 1):
        shard = a_results_folder(tmp_path / f"{trial}", *(a_shard(trial, commit=n) for n in range(1, COMMITS + 1)))
        before, wanted = contents(into), dict(files_of(merge_trees([read_tree(into), read_tree(shard)])[0]))
        killed += is_killed(tmp_path, usual * chance.triangular(0.2, 1.1, 0.95), "merge", shard, "--into", into)
        found = contents(into)
        assert found.keys() >= before.keys()
        assert all(content in (before.get(path), wanted[path]) for path, content in found.items())
        partly += found not in (before, wanted)
        usual = seconds_of(tmp_path, "merge", shard, "--into", into)
        assert contents(into) == wanted
    sys.stdout.write(
        f"\n{MERGES} merges, {killed} killed at work, {partly} half-way; 0 results lost, {MERGES} retries whole\n"
    )


def test_a_killed_run_loses_no_saved_results(project):
    """Saved results are complete and merge with those of the next run."""
    planned = windtunnel(
        project, "ci", "plan", "--out", "plan.json", "--bench", "Spam.time_work.*plain", "--bench", "track_size"
    )
    assert planned.returncode == 0, planned.stderr
    run = "ci", "run", "--plan", "plan.json", "--shard", "0", "--quiet", "--out"
    usual = seconds_of(project, *run, "whole")
    wanted = measured(read_tree(project / "whole" / "results"))
    assert len(wanted) == 3
    chance, killed, saved = random.Random(23), 0, 0
    for trial in range(1, RUNS + 1):
        killed += is_killed(project, usual * chance.triangular(0.2, 1.1, 0.95), *run, f"killed-{trial}")
        left = project / f"killed-{trial}" / "results"
        tree = read_tree(left) if left.is_dir() else merge_trees([])[0]
        assert tree.problems == ()
        assert measured(tree) <= wanted
        saved += bool(tree.runs)
        usual = seconds_of(project, *run, f"again-{trial}")
        record = (project / f"again-{trial}" / "run.json").read_bytes()
        assert not formats.decode(record, RunRecord, "run.json").interrupted
        there = [left.parent] if left.is_dir() else []
        windtunnel(project, "merge", *there, f"again-{trial}", "--into", f"all-{trial}", code=0)
        assert measured(read_tree(project / f"all-{trial}")) == wanted
    sys.stdout.write(
        f"\n{RUNS} runs, {killed} killed at work, {saved} had saved results; 0 of these lost, {RUNS} retries whole\n"
    )

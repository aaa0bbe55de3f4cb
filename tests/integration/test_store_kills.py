"""kill -9 at random moments: nothing stored is lost, and the next try ends whole.

The other side of a remote lives on when a client dies, so the hub's receive-pack runs in a session of its own here.
``make test`` runs a reduced tier; ``WINDTUNNEL_PRESSURE=full make test ARGS="-n 0 -s -k store_kills"`` kills 100 pushes
and 100 pulls and prints the figures of docs/how-to/store.md.
"""

import os
import random
import sys

from builders.commands import is_killed, seconds_of, windtunnel
from builders.repositories import ENV, branch_files, git
from builders.results import a_results_folder, a_shard, contents

from windtunnel.results.merge import merge_trees
from windtunnel.results.tree import files_of, read_tree

TRIALS = 100 if os.environ.get("WINDTUNNEL_PRESSURE") == "full" else 3
BRANCH = "windtunnel-results"
MOMENTS = 0.2, 1.1, 0.95
"""Least, greatest and most likely moment of a kill, in durations of the last whole run: most near the end, where the
branch moves and files are written; the beginning only loads modules."""


def a_project(tmp_path, hub):
    """A repository whose remote answers from a session that no kill of ours reaches."""
    server = tmp_path / "receive-pack"
    server.write_text(
        f"#!{sys.executable}\nimport os, sys\nos.setsid()\nos.execvp('git', ['git', 'receive-pack', sys.argv[1]])\n",
        encoding="utf-8",
    )
    server.chmod(0o755)
    root = tmp_path / "project"
    git(tmp_path, "init", "--quiet", str(root))
    git(root, "remote", "add", "origin", str(hub))
    git(root, "config", "remote.origin.receivepack", str(server))
    return root


def env(root):
    """Where a killed push leaves its throw-away repository."""
    return ENV | {"TMPDIR": str(root.parent)}


def store(root, action, folder):
    """Run a store command to its end; return how long it took."""
    return seconds_of(root, "store", action, "--results", folder, **env(root))


def is_killed_at(moment, root, action, folder):
    return is_killed(root, moment, "store", action, "--results", folder, **env(root))


def push(root, folder):
    """Push in this process, where no kill is timed by it."""
    done = windtunnel(root, "store", "push", "--results", folder, **ENV)
    assert done.returncode == 0, done.stderr


def files_by_path(tree):
    return dict(files_of(tree))


def test_a_push_killed_at_any_moment_is_all_or_nothing(tmp_path, hub):
    """The branch is as before or has everything; the next push leaves it whole."""
    root = a_project(tmp_path, hub)
    usual = store(root, "push", a_results_folder(tmp_path / "first", a_shard(0)))
    stored, killed, arrived = read_tree(tmp_path / "first"), 0, 0
    chance = random.Random(20)
    for trial in range(1, TRIALS + 1):
        folder = a_results_folder(tmp_path / f"{trial}", a_shard(trial, commit=1 + trial % 7))
        wanted = merge_trees([stored, read_tree(folder)])[0]
        killed += is_killed_at(usual * chance.triangular(*MOMENTS), root, "push", folder)
        found = branch_files(hub, BRANCH)
        assert found in (files_by_path(merge_trees([stored])[0]), files_by_path(wanted))
        arrived += found == files_by_path(wanted)
        usual = store(root, "push", folder)
        assert branch_files(hub, BRANCH) == files_by_path(wanted)
        stored = wanted
    assert git(hub, "fsck", "--strict", "--no-dangling") == ""
    sys.stdout.write(
        f"\n{TRIALS} pushes, {killed} killed at work, {arrived} had arrived; 0 results lost, {TRIALS} retries whole\n"
    )


def test_a_pull_killed_at_any_moment_leaves_complete_files(tmp_path, hub):
    """Each file is the old one or the new one; the next pull brings the rest, and keeps what only the folder had."""
    root = a_project(tmp_path, hub)
    own = a_results_folder(tmp_path / "own", a_shard(0, commit=1))
    push(root, a_results_folder(tmp_path / "first", *(a_shard(1, commit=n) for n in range(1, 31))))
    usual = store(root, "pull", own)
    killed = partly = 0
    chance = random.Random(21)
    for trial in range(2, TRIALS + 2):
        more = a_results_folder(tmp_path / f"{trial}", *(a_shard(trial, commit=n) for n in range(1, 31)))
        push(root, more)
        before = contents(own)
        wanted = files_by_path(merge_trees([read_tree(own), read_tree(more)])[0])
        killed += is_killed_at(usual * chance.triangular(*MOMENTS), root, "pull", own)
        found = contents(own)
        assert all(content in (before.get(path), wanted[path]) for path, content in found.items())
        assert found.keys() >= before.keys()
        partly += found not in (before, wanted)
        usual = store(root, "pull", own)
        assert contents(own) == wanted
    sys.stdout.write(
        f"\n{TRIALS} pulls, {killed} killed at work, {partly} half-way; 0 results lost, {TRIALS} retries whole\n"
    )

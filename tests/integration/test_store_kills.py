"""kill -9 at random moments: nothing stored is lost, and the next try ends whole.

The other side of a remote lives on when a client dies, so the hub's receive-pack runs in a session of its own here.
``make test`` runs a reduced tier; ``WINDTUNNEL_PRESSURE=full make test ARGS="-n 0 -s -k store_kills"`` kills 100 pushes
and 100 pulls and prints the figures of docs/how-to/store.md.
"""

import os
import random
import sys

from builders.commands import windtunnel
from builders.kills import ends_well, is_killed
from builders.repositories import ENV, a_hub, branch_files, git
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


def a_store(action, root, folder):
    """A store command; its throw-away repository, which a killed push leaves, lies beside the project."""
    return (root, "store", action, "--results", folder), {"env": ENV | {"TMPDIR": str(root.parent)}}


def ended(*store):
    """How long a store command takes."""
    argv, env = a_store(*store)
    return ends_well(*argv, **env)


def is_cut_off(moment, *store):
    """Whether a store command was still at work when it was killed."""
    argv, env = a_store(*store)
    return is_killed(moment, *argv, **env)


def push(root, folder):
    """Push in this process, where no kill is timed by it."""
    done = windtunnel(root, "store", "push", "--results", folder, **ENV)
    assert done.returncode == 0, done.stderr


def files_by_path(tree):
    return dict(files_of(tree))


def test_a_push_killed_at_any_moment_is_all_or_nothing(tmp_path):
    """The branch is as before or has everything; the next push leaves it whole."""
    hub = a_hub(tmp_path / "hub.git")
    root = a_project(tmp_path, hub)
    usual = ended("push", root, a_results_folder(tmp_path / "first", a_shard(0)))
    stored, killed, arrived = read_tree(tmp_path / "first"), 0, 0
    chance = random.Random(20)
    for trial in range(1, TRIALS + 1):
        folder = a_results_folder(tmp_path / f"{trial}", a_shard(trial, commit=1 + trial % 7))
        wanted = merge_trees([stored, read_tree(folder)])[0]
        killed += is_cut_off(usual * chance.triangular(*MOMENTS), "push", root, folder)
        found = branch_files(hub, BRANCH)
        assert found in (files_by_path(merge_trees([stored])[0]), files_by_path(wanted))
        arrived += found == files_by_path(wanted)
        usual = ended("push", root, folder)
        assert branch_files(hub, BRANCH) == files_by_path(wanted)
        stored = wanted
    assert git(hub, "fsck", "--strict", "--no-dangling") == ""
    sys.stdout.write(
        f"\n{TRIALS} pushes, {killed} killed at work, {arrived} had arrived; 0 results lost, {TRIALS} retries whole\n"
    )


def test_a_pull_killed_at_any_moment_leaves_complete_files(tmp_path):
    """Each file is the old one or the new one; the next pull brings the rest, and keeps what only the folder had."""
    hub = a_hub(tmp_path / "hub.git")
    root = a_project(tmp_path, hub)
    own = a_results_folder(tmp_path / "own", a_shard(0, commit=1))
    push(root, a_results_folder(tmp_path / "first", *(a_shard(1, commit=n) for n in range(1, 31))))
    usual = ended("pull", root, own)
    killed = partly = 0
    chance = random.Random(21)
    for trial in range(2, TRIALS + 2):
        more = a_results_folder(tmp_path / f"{trial}", *(a_shard(trial, commit=n) for n in range(1, 31)))
        push(root, more)
        before = contents(own)
        wanted = files_by_path(merge_trees([read_tree(own), read_tree(more)])[0])
        killed += is_cut_off(usual * chance.triangular(*MOMENTS), "pull", root, own)
        found = contents(own)
        assert all(content in (before.get(path), wanted[path]) for path, content in found.items())
        assert found.keys() >= before.keys()
        partly += found not in (before, wanted)
        usual = ended("pull", root, own)
        assert contents(own) == wanted
    sys.stdout.write(
        f"\n{TRIALS} pulls, {killed} killed at work, {partly} half-way; 0 results lost, {TRIALS} retries whole\n"
    )

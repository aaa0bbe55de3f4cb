"""What a push costs: it follows what is new, not what is stored.

``make test`` runs a reduced tier; ``WINDTUNNEL_PRESSURE=full make test ARGS="-n 0 -s -k store_cost"`` measures branches
of up to 1,000 commits and prints the figures of docs/how-to/store.md.
"""

import os
import subprocess
import sys
import time
from typing import NamedTuple

import pytest
from builders.commands import run_command
from builders.repositories import ENV, a_hub, git
from builders.results import a_results_folder, contents
from builders.trees import a_benchmark, a_row, a_run, a_value

from windtunnel.git.branch import commit_stream

FULL = os.environ.get("WINDTUNNEL_PRESSURE") == "full"
SIZES = (10, 100, 1000) if FULL else (10, 50)
BENCHMARKS = [a_benchmark(f"suite.time_{number}") for number in range(40 if FULL else 5)]
BRANCH = "windtunnel-results"
ENTRY = 75
"""Bytes: an upper bound of what one more file adds to a fetched folder listing; hashes do not compress."""


class Cost(NamedTuple):
    """Bytes that came, bytes that went, and time."""

    fetched: int
    sent: int
    seconds: float


def a_results_run(number):
    """The results of a commit: all benchmarks, six samples each, no two alike."""
    rows = [a_row(benchmark, a_value(number + place + 1.1)) for place, benchmark in enumerate(BENCHMARKS)]
    return a_run(*rows, commit=number << 128, date=1_700_000_000_000 + number)


def a_hub_with(path, states, *, filters=True):
    """A packed hub whose results branch has a commit for each of *states*: contents by path, added to what is there."""
    hub, base = a_hub(path, filters=filters), None
    for number, files in enumerate(states):
        stream = commit_stream(f"refs/heads/{BRANCH}", base, files, f"A <a@b> {number} +0000", "x")
        subprocess.run(["git", "fast-import", "--quiet"], cwd=hub, env=ENV, input=stream, check=True)
        base = f"refs/heads/{BRANCH}^0"
    git(hub, "gc", "--quiet")
    return hub


def a_metered_project(root, hub):
    """A repository whose remote counts: bytes fetched in the file ``fetched``, bytes sent in ``sent``."""
    git(root.parent, "init", "--quiet", str(root))
    git(root, "remote", "add", "origin", f"file://{hub}")
    for kind, line in (
        ("upload", f'git upload-pack "$1" | tee -a {root}/fetched'),
        ("receive", f'tee -a {root}/sent | git receive-pack "$1"'),
    ):
        script = root / kind
        script.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        script.chmod(0o755)
        git(root, "config", f"remote.origin.{kind}pack", str(script))
    return root


def pushed(root, folder):
    """Push and return the cost."""
    for name in ("fetched", "sent"):
        (root / name).write_bytes(b"")
    start = time.monotonic()
    run_command(["store", "push", "--results", folder], ENV, root, code=0)
    took = time.monotonic() - start
    return Cost((root / "fetched").stat().st_size, (root / "sent").stat().st_size, took)


@pytest.mark.parametrize("filters", [True, False])
def test_a_push_costs_what_it_brings(tmp_path, filters):
    """With partial clones a stored run costs its line in the folder; without, what it compresses to, once each."""
    costs = []
    for size in SIZES:
        states = (contents(a_results_folder(tmp_path / f"{n}", a_results_run(n))) for n in range(1, size + 1))
        hub = a_hub_with(tmp_path / f"{size}.git", states, filters=filters)
        stored = git(hub, "count-objects", "-v").split("size-pack: ")[1].split()[0]
        root = a_metered_project(tmp_path / f"project-{size}", hub)
        costs.append(pushed(root, a_results_folder(tmp_path / f"new-{size}", a_results_run(size + 1))))
        sys.stdout.write(
            f"\nfilters {filters}, {size} commits with a run each, {stored} KiB stored: "
            f"fetched {costs[-1].fetched} bytes, sent {costs[-1].sent} bytes, {costs[-1].seconds:.2f} s\n"
        )
    more = SIZES[-1] - SIZES[0]
    assert costs[-1].sent - costs[0].sent < more * ENTRY
    if filters:
        assert costs[-1].fetched - costs[0].fetched < more * ENTRY


def test_the_length_of_the_history_costs_nothing(tmp_path):
    """The same files, changed again and again: no more is fetched than after the first few times."""
    costs = []
    files = contents(a_results_folder(tmp_path / "files", a_results_run(1)))
    for size in SIZES:
        states = (
            {path: content + b" " * (number % 7) for path, content in files.items()} for number in range(size, 0, -1)
        )
        hub = a_hub_with(tmp_path / f"{size}.git", states)
        root = a_metered_project(tmp_path / f"project-{size}", hub)
        costs.append(pushed(root, a_results_folder(tmp_path / "new", a_results_run(2))))
        sys.stdout.write(
            f"\n{size} commits of the same files: fetched {costs[-1].fetched} bytes, {costs[-1].seconds:.2f} s\n"
        )
    assert abs(costs[-1].fetched - costs[0].fetched) < 100

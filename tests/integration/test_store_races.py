"""Twenty processes push different shards of one run at once: all of them arrive, and the order leaves no trace.

Every shard has the same commit, machine and environment, hence the same file name: the worst case of a merge.
``make test`` runs a reduced tier; ``WINDTUNNEL_PRESSURE=full make test ARGS="-n 0 -s -k store_races"`` runs 10 rounds
of 20 and prints the figures of docs/how-to/store.md.
"""

import os
import subprocess
import sys
import time

import pytest
from builders.repositories import ENV, a_hub, branch_files, git
from builders.results import a_results_folder, a_shard, commit_hash

from windtunnel.asv.results_format.files import decode_run
from windtunnel.results.merge import merge_trees
from windtunnel.results.tree import files_of, read_tree

ROUNDS, PUSHERS = (10, 20) if os.environ.get("WINDTUNNEL_PRESSURE") == "full" else (1, 4)
BRANCH = "windtunnel-results"


def a_push(folder, hub):
    """Start ``windtunnel store push`` in a process of its own."""
    command = [sys.executable, "-m", "windtunnel.cli", "store", "push", "--results", str(folder), "--remote", str(hub)]
    command += ["--retry-pause", "0.1", "--retry-timeout", "300"]
    return subprocess.Popen(
        command, cwd=hub.parent, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.mark.parametrize("filters", [True, False])
def test_all_shards_of_all_rounds_arrive(tmp_path, filters):
    """Nothing is lost, and the branch holds byte for byte what a merge of the shards one after the other gives."""
    hub = a_hub(tmp_path / "hub.git", filters=filters)
    shards = [
        [a_results_folder(tmp_path / f"{commit}-{n}", a_shard(n, commit=commit)) for n in range(PUSHERS)]
        for commit in range(1, ROUNDS + 1)
    ]
    seconds = []
    for folders in shards:
        start = time.monotonic()
        pushes = [a_push(folder, hub) for folder in folders]
        said = [push.communicate()[0] for push in pushes]
        seconds.append(time.monotonic() - start)
        assert [push.returncode for push in pushes] == [0] * PUSHERS, said
    files = branch_files(hub, BRANCH)
    assert_every_shard_is_there(files)
    one_by_one = merge_trees(read_tree(folder) for folders in shards for folder in folders)
    assert files == dict(files_of(one_by_one[0]))
    assert git(hub, "fsck", "--strict", "--no-dangling") == ""
    sys.stdout.write(
        f"\n{ROUNDS} rounds of {PUSHERS}, filters {filters}: all {ROUNDS * PUSHERS} shards present, bytes equal, "
        f"{git(hub, 'rev-list', '--count', BRANCH)} commits, {min(seconds):.1f} to {max(seconds):.1f} s a round\n"
    )


def assert_every_shard_is_there(files):
    """Each shard's own benchmark is in its run, and a process of each in the benchmark that all have."""
    for commit in range(1, ROUNDS + 1):
        run = decode_run(files[f"desk/{commit_hash(commit)[:8]}-virtualenv-py3.12.json"], "").value
        own = {f"suite.time_{n:02}" for n in range(PUSHERS)}
        assert {row.name for row in run.rows} == own | {"suite.time_common"}
        (common,) = run.row("suite.time_common").results
        assert len(common.processes) == PUSHERS

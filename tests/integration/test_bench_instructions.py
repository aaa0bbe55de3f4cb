"""Instructions are counted beside times, and asv publishes the counts: real valgrind, git, asv and environments."""

import json
import subprocess
import sys
from statistics import median

import pytest
from builders.commands import windtunnel
from builders.repositories import ENV
from builders.suites import a_copy, change

from windtunnel.model.run import Measured, Skipped
from windtunnel.results.tree import read_records, read_tree

SUITE = """
import threading

class Sums:
    params = [[2000, 4000]]
    param_names = ["size"]
    version = "1"
    number, repeat, warmup_time = 1, 1, 0

    def time_sum(self, size):
        total = 0
        for number in range(size):
            total += number

def time_thread():
    thread = threading.Thread(target=sum, args=(range(10),))
    thread.start()
    thread.join()
time_thread.version, time_thread.number, time_thread.repeat, time_thread.warmup_time = "1", 1, 1, 0
"""


COUNT = ("bench", "--no-site", "--commits", "1", "--instructions", "--bench", "sums")


@pytest.fixture(scope="module")
def counted(prepared, tmp_path_factory):
    """A project whose times and instructions are measured, and what the command said."""
    folder = a_copy(prepared, tmp_path_factory.mktemp("counted") / "project")
    change(folder, {"suite/sums.py": SUITE}, "add sums")
    done = windtunnel(folder, *COUNT, "--rounds", "1", code=0)
    return folder, done


def counts(folder, name):
    """The results of the counts of *name*."""
    (run,) = read_tree(folder / ".asv" / "results").runs
    return run.row(f"{name}.instructions")


def test_counts_stand_beside_times(counted):
    """Twice the work takes twice the instructions; a round is one hash seed, which gives a sample."""
    folder, _ = counted
    row = counts(folder, "sums.Sums.time_sum")
    one, two = row.results
    assert two.value / one.value == pytest.approx(2, abs=0.3)
    assert len(one.samples) == len(one.process_sizes) == 1
    assert one.value == median(one.samples)
    (counter,) = row.extra
    assert counter.name == "counted_with"
    assert "valgrind" in counter.json
    (run,) = read_tree(folder / ".asv" / "results").runs
    assert all(isinstance(result, Measured) for result in run.row("sums.Sums.time_sum").results)


def test_what_threads_do_is_not_counted_in_a_history(counted):
    """The record says why."""
    folder, done = counted
    (result,) = counts(folder, "sums.time_thread").results
    assert isinstance(result, Skipped)
    assert "threads or processes" in done.stderr
    records, _ = read_records(folder / ".asv" / "results")
    reasons = {case.case: case.reason for record in records for task in record.tasks for case in task.cases}
    assert "threads" in reasons["sums.time_thread.instructions"]


def test_what_is_counted_is_not_counted_again(counted):
    """A later call plans nothing."""
    folder, _ = counted
    assert "nothing new to measure" in windtunnel(folder, *COUNT).stderr


def test_asv_publishes_the_counts(counted):
    """asv's page shows them as a benchmark in instructions."""
    folder, _ = counted
    command = [sys.executable, "-m", "asv", "publish", "--no-pull"]
    done = subprocess.run(
        command, cwd=folder, env=ENV | {"PYTHONPATH": ""}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    name = "sums.Sums.time_sum.instructions"
    index = json.loads((folder / ".asv" / "html" / "index.json").read_text(encoding="utf-8"))
    assert (index["benchmarks"][name]["unit"], index["benchmarks"][name]["type"]) == ("instructions", "track")
    (graph,) = (
        path for path in (folder / ".asv" / "html" / "graphs").rglob(f"{name}.json") if "summary" not in path.parts
    )
    ((_, values),) = json.loads(graph.read_text(encoding="utf-8"))
    assert values == [result.value for result in counts(folder, "sums.Sums.time_sum").results]

"""Compares the time of the whole detection with that of asv's step detection alone, on the same values.

make study ARGS="studies.performance.detecting"

The command runs as a process, as in a workflow: first without a cache, then with one after a new commit.
"""

import argparse
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from asv.step_detect import detect_steps
from builders.histories import a_history, a_history_tree, histories

from windtunnel.detect.detection import detect
from windtunnel.model.settings import Settings
from windtunnel.results.columns import values_of
from windtunnel.results.tree import write_tree
from windtunnel.stats.level_shifts import KnownLevels


def main():
    """Print seconds and their ratio."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--series", type=int, default=500)
    options.add_argument("--points", type=int, default=1500)
    options.add_argument("--asv-series", type=int, default=20, help="asv is timed on so many and scaled up")
    chosen = options.parse_args()
    times = 0.1 * np.exp(histories(1, count=chosen.series, points=chosen.points))
    times[:, chosen.points // 2 :] *= 1.1
    tree = a_history_tree({f"m.time_{number}": row for number, row in enumerate(times)})
    history, values = a_history(chosen.points), values_of(tree)
    say(f"{chosen.series} series of {chosen.points} points, one step each; seconds of CPU time")
    ours = cpu(lambda: detect(values, history, Settings()))
    say(f"windtunnel, from values to events, each series with a new value: {ours:.2f}")
    before = KnownLevels()
    detect(values, history, Settings(), before)
    known = KnownLevels(known=before.used)
    say(f"windtunnel, nothing new: {cpu(lambda: detect(values, history, Settings(), known)):.2f}")
    theirs = cpu(lambda: [detect_steps(row) for row in times[: chosen.asv_series]]) * chosen.series / chosen.asv_series
    say(f"asv, step detection alone: {theirs:.1f}, {theirs / ours:.0f} times as long")
    with TemporaryDirectory() as folder:
        commands(Path(folder), tree, theirs)


def commands(folder, tree, theirs):
    """Run the command on all commits without a cache, then on one more commit with it."""
    write_tree(replace(tree, runs=tree.runs[:-1]), folder / "results")
    full = command(folder)
    say(f"windtunnel detect, without a cache: {full:.2f}, {theirs / full:.0f} times as long")
    write_tree(tree, folder / "results")
    began = time.perf_counter()
    say(f"windtunnel detect, one new commit: {command(folder):.2f}, {time.perf_counter() - began:.2f} on the clock")


def command(folder):
    """Run the command in *folder* and return its seconds of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call = [sys.executable, "-m", "windtunnel.cli", "detect", "results", "--out", "changes.json", "--quiet"]
    subprocess.run(call, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def say(text):
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def cpu(work):
    """The least CPU time of two calls, in seconds."""
    taken = []
    for _ in range(2):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


if __name__ == "__main__":
    main()

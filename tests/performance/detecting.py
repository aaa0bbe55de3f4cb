"""How long a whole detection takes beside asv's step detection alone, on the same values in the same process.

PYTHONPATH=tests .venv/bin/python -m performance.detecting
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from asv.step_detect import detect_steps
from builders.histories import a_history, a_history_tree, histories

from windtunnel.analysis.detection import DetectionSettings, detect
from windtunnel.tree import read_tree, write_tree


def main():
    """Print seconds of CPU time and their ratio."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--series", type=int, default=500)
    options.add_argument("--points", type=int, default=1500)
    options.add_argument("--asv-series", type=int, default=20, help="asv is timed on so many and scaled up")
    chosen = options.parse_args()
    times = 0.1 * np.exp(histories(1, count=chosen.series, points=chosen.points))
    times[:, chosen.points // 2 :] *= 1.1
    tree = a_history_tree({f"m.time_{number}": row for number, row in enumerate(times)})
    history = a_history(chosen.points)
    ours = cpu(lambda: detect(tree, history, DetectionSettings()))
    theirs = cpu(lambda: [detect_steps(row) for row in times[: chosen.asv_series]]) * chosen.series / chosen.asv_series
    say(f"{chosen.series} series of {chosen.points} points")
    say(f"windtunnel, all of detect: {ours:.2f} s")
    say(f"asv, step detection alone: {theirs:.1f} s, {theirs / ours:.0f} times as long")
    with TemporaryDirectory() as folder:
        write_tree(tree, Path(folder))
        say(f"reading the files, in addition: {cpu(lambda: touch(read_tree(Path(folder)))):.2f} s")


def say(text):
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def touch(tree):
    """Make sure that every value is read, not only found."""
    return sum(len(row.results) for run in tree.runs for row in run.rows)


def cpu(work):
    """The least CPU time of two calls, in seconds."""
    taken = []
    for _ in range(2):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


if __name__ == "__main__":
    main()

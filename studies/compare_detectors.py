# /// script
# requires-python = ">=3.11"
# dependencies = ["apache-otava==0.8.0", "asv==0.6.6", "ruptures==1.1.10", "windtunnel"]
# [tool.uv.sources]
# windtunnel = { path = "..", editable = true }
# ///
"""Compares change detectors on the same simulated series, in its own environment, for measurements/error-rates.md.

.venv/bin/uv run --script studies/compare_detectors.py --series 1000
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import rivals
from builders.histories import histories

from windtunnel.stats.level_shifts import SeriesObservations, find_shifts

STEPS = ((0.10, 3), (-0.10, 3), (0.10, 8), (0.05, 8), (-0.05, 8))
NEAR = 2
LAST = "ever false | ever false, tails |"


def rates(detector, count):
    """Return the rates of *detector* in percent: false changes, then the steps found, without tails and with."""
    found = []
    for tails in (False, True):
        quiet = histories(21, count=count, tails=tails)
        found.append(100 * np.mean([bool(detector(row)) for row in quiet]))
        for step, after in STEPS:
            series = histories(22, count=count, step=step, after=after, tails=tails)
            hits = [any(abs(position - (200 - after)) <= NEAR for position in detector(row)) for row in series]
            found.append(100 * np.mean(hits))
    return found


def speed(count, points):
    """Return the seconds that Windtunnel and asv take for *count* series of *points*, one step each."""
    series = histories(24, count=count, points=points, step=0.1, after=points // 2, tails=True)
    start = time.perf_counter()
    find_shifts([SeriesObservations(values=row, weights=np.ones(points), least_noise=0.001) for row in series])
    ours = time.perf_counter() - start
    start = time.perf_counter()
    for row in series:
        rivals.asv(row)
    return ours, time.perf_counter() - start


def ever_alarmed(detector, count, tails):
    """Return the percentage of series that show a false change at any time when looked at after every fifth commit."""
    series = histories(25, count=count, tails=tails)
    looks = range(20, 201, 5)
    return 100 * np.mean([any(detector(row[:points]) for points in looks) for row in series])


def persistent(detector, count):
    """Return the percentage of false changes where half of each run's deviation is left in the next (AR(1), 0.5)."""
    series = histories(26, count=count)
    for point in range(1, series.shape[1]):
        series[:, point] += 0.5 * series[:, point - 1]
    return 100 * np.mean([bool(detector(row)) for row in series])


def write_line(line):
    """Write a line to standard output at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main():
    """Print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--series", type=int, default=300, help="series for each rate")
    options.add_argument("--speed", action="store_true", help="only the race of 500 series x 1,500 points against asv")
    options.add_argument("--only", help="one of the detectors")
    options.add_argument("--persistent", action="store_true", help="only the false changes in persistent noise")
    chosen = options.parse_args()
    if chosen.speed:
        ours, theirs = speed(500, 1500)
        write_line(f"500 series x 1,500 points: windtunnel {ours:.2f} s, asv {theirs:.1f} s, {theirs / ours:.0f} times")
        return
    if chosen.persistent:
        for detector in rivals.ALL:
            write_line(f"{detector.__name__}: {persistent(detector, chosen.series):.1f} % false in persistent noise")
        return
    heads = ["false", *(f"{100 * step:+.0f} % after {after}" for step, after in STEPS)]
    write_line("| detector | " + " | ".join([*heads, *(f"{head}, tails" for head in heads)]) + f" | {LAST}")
    for detector in rivals.ALL:
        if chosen.only not in (None, detector.__name__):
            continue
        row = [f"{rate:.1f}" for rate in rates(detector, chosen.series)]
        row += [f"{ever_alarmed(detector, chosen.series // 5, tails):.0f}" for tails in (False, True)]
        write_line(f"| {detector.__name__} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()

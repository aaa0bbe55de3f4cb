"""The tables of docs/measurements/error-rates.md about detection in simulated series, with asv's step detection.

    make study ARGS="studies.detection"       # ten minutes, seeded; --series 100 for a short one

Series have 2.2 % log-normal noise. With tails, 5 % of the runs are slower by a factor of exp|N(0, 0.3)|. A series with
two levels is on the upper one in a share of its runs, each by chance; where flips stay, a level is drawn anew after so
many runs on average. A step of asv is a change of at least 3 %.
"""

import argparse
import sys
from itertools import pairwise, product

import numpy as np
from asv.step_detect import detect_steps
from builders.histories import a_history, a_history_tree, detect, histories, two_level_histories

from windtunnel.stats.level_shifts import SeriesObservations, find_shifts

NEAR = 2
"""Runs by which a step may be misplaced."""
NEAR_SHARE = 10
"""Runs by which a change of shares may be misplaced."""
MIN_CHANGE = 0.03
GAPS, SHARES, LENGTHS = (0.15, 0.3), (0.1, 0.3, 0.5), (200, 600)
STAYS = (2, 4, 8)
STEPS = ((0.10, 3), (-0.10, 3), (0.10, 8), (0.05, 8), (-0.05, 8))


def windtunnel(series):
    """Return the shifts of each of *series*."""
    batch = [SeriesObservations(values=row, weights=np.ones(len(row)), least_noise=0.001) for row in series]
    return [levels.shifts for levels in find_shifts(batch)]


def asv(row):
    """Return the positions that asv reports in a series of logarithms."""
    steps = detect_steps(list(np.exp(row)))
    return [right[0] for left, right in pairwise(steps) if abs(right[2] / left[2] - 1) >= MIN_CHANGE]


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=1000)
    count = parser.parse_args().series
    tables = (without_change, with_two_levels, with_flips_that_stay, with_steps, with_shares)
    for table in tables:
        for line in (*table(count), ""):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


def without_change(count):
    """Yield the table of false changes in series of one level."""
    yield from ("| series | Windtunnel | asv |", "|---|---:|---:|")
    for tails in (False, True):
        for points in LENGTHS:
            series = histories(71, count=count, points=points, tails=tails)
            yield f"| {points} points{', tails' if tails else ''} | {false(series)} |"


def with_two_levels(count):
    """Yield the table of false changes in series that flip between two levels."""
    yield from ("| gap | upper level | points | Windtunnel | asv |", "|---|---:|---:|---:|---:|")
    for gap, share, points in product(GAPS, SHARES, LENGTHS):
        series = two_level_histories(72, count=count, points=points, gap=gap, share=share)
        yield f"| {gap:.0%} | {share:.0%} | {points} | {false(series)} |"


def with_flips_that_stay(count):
    """Yield the table of changes in series whose flips stay for some runs, on either level half of the time."""
    yield from ("| gap | drawn anew after | runs | flips | Windtunnel | asv |", "|---|---:|---:|---:|---:|---:|")
    for gap, stay, points in product(GAPS, STAYS, LENGTHS):
        series = two_level_histories(75, count=count, points=points, gap=gap, stay=stay)
        flips = np.count_nonzero(np.abs(np.diff(series)) > np.log1p(gap) / 2) / count
        tree = a_history_tree({f"flips.time_{index}": np.exp(row) for index, row in enumerate(series)})
        ours = len(detect(tree, a_history(points)).changes) / count
        some = series[: max(1, count // 5)]
        theirs = sum(len(asv(row)) for row in some) / len(some)
        yield f"| {gap:.0%} | {stay} | {points} | {flips:.1f} | {ours:.1f} | {theirs:.1f} |"


def with_steps(count):
    """Yield the table of steps that are found, after which runs."""
    yield "| step | after | found | at the exact run | tails: found | at the exact run |"
    yield "|---|---:|---:|---:|---:|---:|"
    for step, after in STEPS:
        cells = []
        for tails in (False, True):
            found = windtunnel(histories(73, count=count, step=step, after=after, tails=tails))
            distances = [min((abs(one.position - 200 + after) for one in shifts), default=200) for shifts in found]
            cells += [f"{np.mean(np.array(distances) <= near):.1%}" for near in (NEAR, 0)]
        yield f"| {step:+.0%} | {after} | {' | '.join(cells)} |"


def with_shares(count):
    """Yield the table of changes of shares that are found, in series of 200 points."""
    yield from ("| gap | shares | runs after | found as a change of shares |", "|---|---|---:|---:|")
    for gap in GAPS:
        for share, later in ((0.1, 0.5), (0.2, 0.8), (0.3, 1.0)):
            for after in (30, 100):
                series = two_level_histories(74, count=count, gap=gap, share=share, later=later, after=after)
                hits = [
                    any(one.shares and abs(one.position - 200 + after) <= NEAR_SHARE for one in shifts)
                    for shifts in windtunnel(series)
                ]
                yield f"| {gap:.0%} | {share:.0%} to {later:.0%} | {after} | {np.mean(hits):.1%} |"


def false(series):
    """Return the shares of *series* in which Windtunnel and asv report a change."""
    ours = np.mean([bool(shifts) for shifts in windtunnel(series)])
    theirs = np.mean([bool(asv(row)) for row in series[: max(1, len(series) // 5)]])
    return f"{ours:.1%} | {theirs:.1%}"


if __name__ == "__main__":
    main()

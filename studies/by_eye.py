"""Plots a random sample of the steps detected in real histories, and of those where asv disagrees, for review by eye.

    make study ARGS="studies.by_eye --out FOLDER"       # a minute, seeded

The histories are those of ``archives.py``; commits have the order of asv's ``index.json``. A step of asv is a change of
at least 3 % between its levels. Two steps are the same when they are within two runs in one case. Steps of asv at a
machine shift are left out. Each step is plotted twice, close up and with the whole series; ``cases.tsv`` lists the
steps. docs/measurements/error-rates.md has the judgements.
"""

import argparse
import json
import math
import sys
import tarfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from asv.step_detect import detect_steps
from histories.archives import ARCHIVES, REASON, trees, unpacked

from windtunnel.detect.detection import DetectionSettings, detect
from windtunnel.detect.format import ChangeKind
from windtunnel.detect.levels import MIN_POINTS
from windtunnel.detect.series import DEFAULT_MIN_CHANGE, Series, collect_series
from windtunnel.model.run import CommitHistory, DatedCommit
from windtunnel.results.column_cache import ColumnCache
from windtunnel.results.column_reading import read_values

mpl.use("Agg")
from matplotlib import pyplot as plt

SEED = 20261121
SAMPLE_SIZE = 30
MAX_DISTANCE = 2
"""Runs between two steps that count as the same."""
AROUND, CLOSE = 40, 15
"""Runs on either side that are plotted, and those that determine the axis."""
PAGE_SIZE = 6
OURS, THEIRS = "windtunnel", "asv"
LINES = {OURS: ("tab:blue", "-"), THEIRS: ("tab:red", "--")}


class Step(NamedTuple):
    """A change of level, found by *finder*, with the run at *index* of the series."""

    finder: str
    history: str
    series: Series
    index: int
    before: float
    after: float
    commit: str

    @property
    def relative(self):
        return self.after / self.before - 1 if self.before else math.inf

    @property
    def name(self):
        return f"{self.series.key.benchmark}({', '.join(self.series.key.params)})"


def main():
    """Write the plots and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    folder = parser.parse_args().out
    if not ARCHIVES:
        sys.exit(REASON)
    folder.mkdir(parents=True, exist_ok=True)
    found = [step for archive in ARCHIVES for step in read(archive)]
    by_series = defaultdict(list)
    for step in found:
        by_series[id(step.series)].append(step)
    differ = [step for step in found if not any(agree(step, other) for other in by_series[id(step.series)])]
    ours = [step for step in found if step.finder == OURS]
    differ.sort(key=lambda step: step.finder != OURS)
    only = sum(step.finder == OURS for step in differ)
    write_line(f"{len(ours)} steps reported, {len(found) - len(ours)} by asv, {len(ours) - only} the same")
    write_line(f"{only} only by Windtunnel, {len(differ) - only} only by asv")
    rng = np.random.default_rng(SEED)
    with (folder / "cases.tsv").open("w", encoding="utf-8") as listing:
        for what, steps in (("reported", ours), ("differ", differ)):
            cases = [steps[index] for index in rng.choice(len(steps), SAMPLE_SIZE, replace=False)]
            for number, step in enumerate(cases, 1):
                cells = (what, number, step.finder, step.history, step.name, step.commit[:10], f"{step.relative:+.1%}")
                listing.write("\t".join(map(str, cells)) + "\n")
            for first in range(0, SAMPLE_SIZE, PAGE_SIZE):
                page = list(enumerate(cases[first : first + PAGE_SIZE], first + 1))
                draw(page, by_series, folder / f"{what}-{first // PAGE_SIZE + 1}.png")


def agree(step, other):
    """Return whether two finders report the same step."""
    return step.finder != other.finder and abs(step.index - other.index) <= MAX_DISTANCE


def read(archive):
    """Yield the steps that either tool finds in the history at *archive*."""
    history = order(archive.with_name("published.tar.xz"))
    with TemporaryDirectory() as folder:
        values = read_values(trees(unpacked(archive, Path(folder)))[0], ColumnCache.empty()).values
    collected = collect_series(values, history).series
    found = detect(values, history, DetectionSettings())
    positions = {commit.hash: position for position, commit in enumerate(history.commits)}
    by_case = {(one.key.benchmark, one.key.params, one.key.version, *one.key.target[::2]): one for one in collected}
    for change in found.changes:
        if change.kind is ChangeKind.STEP:
            case = (change.benchmark, change.params, change.version, change.machine, change.environment)
            index = int(np.searchsorted(by_case[case].positions, positions[change.commit]))
            name = archive.parent.name
            yield Step(OURS, name, by_case[case], index, change.before, change.after, change.commit)
    shifts = {(shift.machine, positions[shift.commit]) for shift in found.machine_shifts}
    for series in collected:
        yield from steps_of_asv(archive.parent.name, series, history, shifts)


def steps_of_asv(name, series, history, shifts):
    """Yield what asv's step detection finds in *series*."""
    if len(series.values) < MIN_POINTS:
        return
    levels = detect_steps(list(series.values))
    for (_, _, before, *_), (index, _, after, *_) in pairwise(levels):
        near = series.positions[max(0, index - MAX_DISTANCE) : index + MAX_DISTANCE + 1]
        is_shift = any(machine == series.key.target.machine and at in near for machine, at in shifts)
        if before and abs(after / before - 1) >= DEFAULT_MIN_CHANGE and not is_shift:
            commit = history.commits[series.positions[index]].hash
            yield Step(THEIRS, name, series, index, before, after, commit)


def order(published):
    """Return the commits in asv's order."""
    with tarfile.open(published) as packed:
        index = json.load(packed.extractfile("published/index.json"))
    hashes, dates = index["revision_to_hash"], index["revision_to_date"]
    numbers = sorted(hashes, key=int)
    return CommitHistory(commits=tuple(DatedCommit(hash=hashes[one], date=dates[one] / 1000) for one in numbers))


def draw(page, by_series, path):
    """Plot some steps, each close up and with the whole series."""
    figure, axes = plt.subplots(PAGE_SIZE, 2, figsize=(15, 17), gridspec_kw={"width_ratios": (1, 1.4)})
    for (near, whole), (number, step) in zip(axes, page, strict=True):
        around = slice(max(0, step.index - AROUND), step.index + AROUND)
        close = slice(max(0, step.index - CLOSE), step.index + CLOSE)
        for axis, shown, frame in ((near, around, close), (whole, slice(None), slice(None))):
            runs = np.arange(len(step.series.values))[shown]
            axis.plot(runs, step.series.values[shown], ".", color="0.25", markersize=4)
            axis.set_ylim(*limits(step.series.values[frame]))
            axis.axvline(step.index - 0.5, color="tab:green", linewidth=1)
            for other in by_series[id(step.series)]:
                if runs[0] <= other.index <= runs[-1]:
                    colour, style = LINES[other.finder]
                    axis.plot([other.index - 8, other.index - 0.5], [other.before] * 2, style, color=colour)
                    axis.plot([other.index - 0.5, other.index + 8], [other.after] * 2, style, color=colour)
        title = f"{number} by {step.finder}: {step.history} {step.name[-60:]} {step.relative:+.1%}"
        near.set_title(title, fontsize=8, loc="left")
    figure.tight_layout()
    figure.savefig(path, dpi=60)
    plt.close(figure)


def limits(values):
    """Return the middle 90 % and half as much on either side, so that outliers do not hide the rest."""
    low, high = np.quantile(values, (0.05, 0.95))
    margin = (high - low) / 2 or abs(high) or 1.0
    return low - margin, high + margin


def write_line(text):
    """Write a line to standard output at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Draws cases at random of what detection finds in real histories, and of where asv disagrees, to be judged by eye.

    make study ARGS="studies.by_eye --out FOLDER"       # a minute, seeded

The histories are those of ``archives.py``; commits go in the order of asv's ``index.json``. A step of asv's is a change
of 3 % or more between its levels; the two agree where they place it within two runs of the same case. Of asv's is left
out what lies where nearly everything moved, which we tell once. Each case is drawn twice: around the place, and the
whole series; ``cases.tsv`` names them. docs/measurements/by-eye.md says what was seen.
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
from windtunnel.model.commit_history import CommitHistory, DatedCommit
from windtunnel.results.column_cache import PointCache
from windtunnel.results.column_reading import read_points

mpl.use("Agg")
from matplotlib import pyplot as plt

SEED = 20261121
DRAWN = 30
NEAR = 2
AROUND, CLOSE = 40, 15
A_PAGE = 6
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
    """Draw, and say how many there are."""
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
    say(f"{len(ours)} steps told, {len(found) - len(ours)} by asv, {len(ours) - only} the same")
    say(f"{only} only ours, {len(differ) - only} only asv's")
    rng = np.random.default_rng(SEED)
    with (folder / "cases.tsv").open("w", encoding="utf-8") as listing:
        for what, steps in (("told", ours), ("differ", differ)):
            cases = [steps[place] for place in rng.choice(len(steps), DRAWN, replace=False)]
            for number, step in enumerate(cases, 1):
                cells = (what, number, step.finder, step.history, step.name, step.commit[:10], f"{step.relative:+.1%}")
                listing.write("\t".join(map(str, cells)) + "\n")
            for first in range(0, DRAWN, A_PAGE):
                page = list(enumerate(cases[first : first + A_PAGE], first + 1))
                draw(page, by_series, folder / f"{what}-{first // A_PAGE + 1}.png")


def agree(step, other):
    """Tell whether the other finder says the same."""
    return step.finder != other.finder and abs(step.index - other.index) <= NEAR


def read(archive):
    """Yield the steps that either finds in the history at *archive*."""
    history = order(archive.with_name("published.tar.xz"))
    with TemporaryDirectory() as folder:
        points = read_points(trees(unpacked(archive, Path(folder)))[0], PointCache.empty()).points
    collected = collect_series(points, history).series
    found = detect(points, history, DetectionSettings())
    places = {commit.hash: position for position, commit in enumerate(history.commits)}
    by_case = {(one.key.benchmark, one.key.params, one.key.version, *one.key.place[::2]): one for one in collected}
    for change in found.changes:
        if change.kind is ChangeKind.STEP:
            case = (change.benchmark, change.params, change.version, change.machine, change.environment)
            index = int(np.searchsorted(by_case[case].positions, places[change.commit]))
            name = archive.parent.name
            yield Step(OURS, name, by_case[case], index, change.before, change.after, change.commit)
    moved = {(mode.machine, places[mode.commit]) for mode in found.machine_shifts}
    for series in collected:
        yield from steps_of_asv(archive.parent.name, series, history, moved)


def steps_of_asv(name, series, history, moved):
    """Yield what asv's step detection finds in *series*."""
    if len(series.values) < MIN_POINTS:
        return
    levels = detect_steps(list(series.values))
    for (_, _, before, *_), (index, _, after, *_) in pairwise(levels):
        near = series.positions[max(0, index - NEAR) : index + NEAR + 1]
        told_once = any(machine == series.key.place.machine and at in near for machine, at in moved)
        if before and abs(after / before - 1) >= DEFAULT_MIN_CHANGE and not told_once:
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
    """Draw some cases, each around its place and as a whole."""
    figure, axes = plt.subplots(A_PAGE, 2, figsize=(15, 17), gridspec_kw={"width_ratios": (1, 1.4)})
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
    """Return the middle nine tenths and half as much around: what is far out shall not hide the rest."""
    low, high = np.quantile(values, (0.05, 0.95))
    margin = (high - low) / 2 or abs(high) or 1.0
    return low - margin, high + margin


def say(text):
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

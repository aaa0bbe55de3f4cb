"""Counts what detection reports in public histories, and plots a random sample of the events for review by eye.

    make study ARGS="studies.event_review HISTORIES --out FOLDER"        # a minute, seeded
    make study ARGS="studies.event_review --compare ONE.tsv OTHER.tsv"   # how often two readings agree

HISTORIES has one folder for each history, with its results somewhere below. Commits have the order of their dates. Each
event is plotted close up and with the whole series of its lead case, and with the next largest one. ``readings.tsv``
lists the events; a reader adds ``real``, ``false`` or ``misplaced`` to each line, from the plot alone.
"""

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import numpy as np
from histories.archives import trees

from windtunnel.detect.detection import DetectionSettings, detect
from windtunnel.detect.event_scope import by_size, describe_scope
from windtunnel.detect.format import ChangeKind
from windtunnel.detect.levels import MIN_POINTS
from windtunnel.detect.series import collect_series
from windtunnel.model.run import history_by_date
from windtunnel.results.column_cache import ColumnCache
from windtunnel.results.column_reading import read_values
from windtunnel.results.machine_kinds import join_machines, propose_kinds

mpl.use("Agg")
from matplotlib import pyplot as plt

SEED = 20261122
AROUND, CLOSE = 30, 12
"""Runs on either side that are plotted close up, and those that determine the axis."""
PAGE_SIZE = 6
READINGS = ("real", "false", "misplaced")
COLUMNS = ("number", "history", "commit", "kind", "title", "change", "reading", "note")


def main():
    """Write the plots and the list, and print the counts; or compare two readings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", type=Path, nargs="?")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--events", type=int, default=12, help="events of each history")
    parser.add_argument("--compare", type=Path, nargs=2)
    options = parser.parse_args()
    if options.compare:
        compare(*(list(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t")) for path in options.compare))
        return
    options.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    chosen = []
    write_line(
        "| history | series | too short | commits | changes | events | of one case | steps | creeps | shares | flips |"
    )
    write_line("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for folder in sorted(path for path in options.histories.iterdir() if path.is_dir()):
        history = History(folder)
        write_line(history.row())
        events = history.found.events
        sample = rng.choice(len(events), min(options.events, len(events)), replace=False)
        chosen += [(history, events[index]) for index in sorted(sample)]
    with (options.out / "readings.tsv").open("w", encoding="utf-8", newline="") as listing:
        writer = csv.writer(listing, delimiter="\t")
        writer.writerow(COLUMNS)
        for number, (history, event) in enumerate(chosen, 1):
            members = history.members(event)
            change = "" if members[0].relative_change is None else f"{members[0].relative_change:+.1%}"
            cells = (number, history.name, event.commit[:10], members[0].kind, describe_scope(members), change, "", "")
            writer.writerow(cells)
    for first in range(0, len(chosen), PAGE_SIZE):
        page = list(enumerate(chosen[first : first + PAGE_SIZE], first + 1))
        draw(page, options.out / f"events-{first // PAGE_SIZE + 1:02}.png")


class History:
    """A history, and what detection finds in it."""

    def __init__(self, folder):
        """Read the largest results tree in *folder*."""
        self.name = folder.name
        tree = max(trees(folder), key=lambda tree: sum(1 for _ in tree.glob("*/*.json")))
        values = read_values(tree, ColumnCache.empty()).values
        kinds = {
            f"hosted{n}": pattern for n, pattern in enumerate(propose_kinds({r.machine for r in values.tree.runs}))
        }
        values = join_machines(values, kinds)
        self.history = history_by_date(values.tree.runs)
        self.found = detect(values, self.history, DetectionSettings())
        self.positions = {commit.hash: position for position, commit in enumerate(self.history.commits)}
        self.series = {}
        for one in collect_series(values, self.history).series:
            case = (
                one.key.benchmark,
                one.key.params,
                one.key.version,
                one.key.target.machine,
                one.key.target.environment,
            )
            self.series.setdefault(case, []).append(one)
        self.changes = {change.id: change for change in self.found.changes}

    def row(self):
        """Return the line of the table."""
        found = self.found
        kinds = Counter(change.kind for change in found.changes)
        cells = (
            self.name, found.series, found.too_short, found.commits, len(found.changes), len(found.events),
            sum(event.cases == 1 for event in found.events), kinds[ChangeKind.STEP], kinds[ChangeKind.CREEP],
            kinds[ChangeKind.SHARE], sum("flips" in skipped.reason for skipped in found.skipped),
        )  # fmt: skip
        return f"| {' | '.join(map(str, cells))} |"

    def members(self, event):
        """Return the changes of *event*, the largest first."""
        return by_size(self.changes[member] for member in event.members)

    def series_of(self, change):
        """Return the series of *change*, that of the hardware which measured its commit."""
        case = (change.benchmark, change.params, change.version, change.machine, change.environment)
        at = self.positions[change.commit]
        return next(one for one in self.series[case] if at in one.positions and len(one.values) >= MIN_POINTS)


def draw(page, path):
    """Plot some events."""
    figure, axes = plt.subplots(PAGE_SIZE, 3, figsize=(19, 18), gridspec_kw={"width_ratios": (1, 1.2, 1)})
    for row, (number, (history, event)) in zip(axes, page, strict=False):
        members = history.members(event)
        second = next((each for each in members if each.benchmark != members[0].benchmark), members[-1])
        for axis, change, is_close in zip(row, (members[0], members[0], second), (True, False, False), strict=True):
            plot(axis, history, change, is_close=is_close)
        title = f"{number}: {history.name} {event.commit[:8]} {describe_scope(members)[:100]}"
        row[0].set_title(title, fontsize=8, loc="left")
        row[2].set_title(f"{members[0].kind}, {len(members)} changes", fontsize=8, loc="right")
    figure.tight_layout()
    figure.savefig(path, dpi=55)
    plt.close(figure)


def plot(axis, history, change, *, is_close):
    """Plot the values of the case of *change*, with a line before its first run."""
    series = history.series_of(change)
    at = int(np.searchsorted(series.positions, history.positions[change.commit]))
    start = int(np.searchsorted(series.positions, history.positions[change.previous_commit]))
    shown = slice(max(0, min(start, at) - AROUND), at + AROUND) if is_close else slice(None)
    framed = slice(max(0, min(start, at) - CLOSE), at + CLOSE) if is_close else slice(None)
    runs = np.arange(len(series.values))[shown]
    axis.plot(runs, series.values[shown], ".", color="0.25", markersize=4)
    axis.set_ylim(*limits(series.values[framed], change))
    axis.axvline(at - 0.5, color="tab:green", linewidth=1)
    axis.plot([start - 8, start + 0.4], [change.before] * 2, color="tab:blue")
    axis.plot([at - 0.4, at + 8], [change.after] * 2, color="tab:blue")


def limits(values, change):
    """Return the middle 94 % and the levels, and a quarter as much on either side."""
    low, high = np.quantile(values, (0.03, 0.97))
    low, high = min(low, change.before, change.after), max(high, change.before, change.after)
    margin = (high - low) / 4 or abs(high) or 1.0
    return low - margin, high + margin


def compare(one, other):
    """Print the shares of two readings of the same events, and how often they agree."""
    for name, reading in (("first", one), ("second", other)):
        counts = Counter(line["reading"] for line in reading)
        shares = ", ".join(f"{counts[each]} {each} ({counts[each] / len(reading):.0%})" for each in READINGS)
        write_line(f"{name}: {len(reading)} events, {shares}")
    pairs = [(first["reading"], second["reading"]) for first, second in zip(one, other, strict=True)]
    same = sum(first == second for first, second in pairs)
    write_line(f"the same in {same} of {len(pairs)} ({same / len(pairs):.0%})")
    both = sum(pair == ("real", "real") for pair in pairs)
    write_line(f"real in both: {both} ({both / len(pairs):.0%})")


def write_line(text):
    """Write a line to standard output at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Counts what detection reports in public histories, and plots a random sample of the events for two readers.

    make study ARGS="studies.event_review HISTORIES --out FOLDER --git CLONE CLONE"    # a minute of CPU time, seeded
    make study ARGS="studies.event_review --join FOLDER/reader-1.tsv FOLDER/reader-2.tsv"    # the table of readings

HISTORIES has one folder for each history, with its results somewhere below. Commits have the order of their dates. The
sample has the same number of events of each history, and creeps of any of them. FOLDER gets pages of plots, a list of
the events, the criteria, and an empty list for each of two readers, who know nothing else.
"""

import argparse
import csv
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import matplotlib as mpl
import numpy as np
from histories.archives import trees

from windtunnel.detect.detection import detect
from windtunnel.detect.levels import MIN_POINTS
from windtunnel.detect.report import by_size, describe_scope
from windtunnel.detect.series import collect_series
from windtunnel.model.run import history_by_date
from windtunnel.model.settings import Settings
from windtunnel.results.column_reading import read_with_cache
from windtunnel.results.columns import join_machines, propose_kinds

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator

SEED = 20261125
AROUND, CLOSE = 30, 12
"""Runs on either side that are plotted close up, and those that determine the axis."""
PAGE_SIZE = 6
READINGS = ("real", "false", "misplaced")
COLUMNS = ("number", "history", "commit", "date", "subject", "kind", "scope", "change")
CRITERIA = """\
# Reading events

Each row of a picture is one event: a claim that the values change at a commit. Read it from the row and the line of
`events.tsv` alone. Left: the case with the largest change, 30 runs on either side. Middle: the same case, all runs.
Right: another case of the event close up, or the same case in another environment, if it has one. Points are raw values
in the order of commits; carets at an edge are values beyond it. The green line is before the first run with the claimed
commit. A claimed creep is the shaded range.

Write one word for each event into your list (tab-separated: number, reading, note), and a short note where it is not
`real`:

- `real`: the values left and right of the line lie on visibly different levels, the new level lasts at least three
  runs, direction and size are about as claimed, and the first run right of the line is the first on the new level.
  One run more or less does not matter where a value may belong to either level. Whether the level changes again
  later does not matter.
- `misplaced`: there is such a change, but the line is at another place: two or more runs clearly lie on the wrong
  side of it.
- `false`: there is no such change: single slow runs, noise, a drift that has no step at the line, or one of several
  returns between two levels between which the series goes back and forth all the time.

A claimed *creep* is `real` if the level moves gradually within the shaded range by about the claimed size, `misplaced`
if most of the movement is outside of the range, `false` if there is none or if one step explains it. A claimed *share*
is `real` if the runs flip between two levels and are on the upper one about as often as claimed, before and after the
line; `misplaced` if that changes ten or more runs away from the line.

Judge by the left and the middle plot. Use the right one where these leave a doubt.
"""


def main():
    """Write the plots and the lists, and print the counts; or join two readings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", type=Path, nargs="?")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--events", type=int, default=5, help="events of each history")
    parser.add_argument("--creeps", type=int, default=6, help="creeps of all histories")
    parser.add_argument("--git", type=Path, nargs="*", default=(), help="clones that know the commits")
    parser.add_argument("--join", type=Path, nargs=2)
    options = parser.parse_args()
    if options.join:
        join(options.join[0].with_name("events.tsv"), *options.join)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    write_line(
        "| history | series | too short | commits | changes | events | of one case | steps | creeps | shares | flips |"
    )
    write_line("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    rng = np.random.default_rng(SEED)
    chosen, creeps = [], []
    for folder in sorted(path for path in options.histories.iterdir() if path.is_dir()):
        history = History(folder)
        write_line(history.row())
        others = [event for event in history.found.events if not history.is_creep(event)]
        creeps += [(history, event) for event in history.found.events if history.is_creep(event)]
        sample = rng.choice(len(others), min(options.events, len(others)), replace=False)
        chosen += [(history, others[index]) for index in sorted(sample)]
    sample = rng.choice(len(creeps), min(options.creeps, len(creeps)), replace=False)
    chosen += [creeps[index] for index in sorted(sample)]
    write_lists(chosen, options)
    for first in range(0, len(chosen), PAGE_SIZE):
        page = list(enumerate(chosen[first : first + PAGE_SIZE], first + 1))
        draw(page, options.out / f"events-{first // PAGE_SIZE + 1:02}.png")


class History:
    """A history, and what detection finds in it."""

    def __init__(self, folder):
        """Read the largest results tree in *folder*."""
        self.name = folder.name
        tree = max(trees(folder), key=lambda tree: sum(1 for _ in tree.glob("*/*.json")))
        values = read_with_cache(tree, None, print)
        kinds = {
            f"hosted{n}": pattern for n, pattern in enumerate(propose_kinds({r.machine for r in values.tree.runs}))
        }
        values = join_machines(values, kinds)
        self.history = history_by_date(values.tree.runs)
        self.found = detect(values, self.history, Settings())
        self.positions = {commit.hash: position for position, commit in enumerate(self.history.commits)}
        self.series = {}
        for one in collect_series(values, self.history):
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
            sum(event.cases == 1 for event in found.events), kinds["step"], kinds["creep"],
            kinds["share"], sum("flips" in skipped.reason for skipped in found.skipped),
        )  # fmt: skip
        return f"| {' | '.join(map(str, cells))} |"

    def members(self, event):
        """Return the changes of *event*, the largest first."""
        return by_size(self.changes[member] for member in event.members)

    def is_creep(self, event):
        """Return whether *event* is of creeps."""
        return self.changes[event.members[0]].kind == "creep"

    def series_of(self, change):
        """Return the series of *change*, that of the hardware which measured its commit."""
        case = (change.benchmark, change.params, change.version, change.machine, change.environment)
        at = self.positions[change.commit]
        return next(one for one in self.series[case] if at in one.positions and len(one.values) >= MIN_POINTS)


def write_lists(chosen, options):
    """Write the criteria, the list of the events, and an empty list for each reader."""
    (options.out / "README.md").write_text(CRITERIA, encoding="utf-8")
    lines = [describe(number, history, event, options.git) for number, (history, event) in enumerate(chosen, 1)]
    write_table(options.out / "events.tsv", COLUMNS, lines)
    for reader in (1, 2):
        write_table(
            options.out / f"reader-{reader}.tsv", ("number", "reading", "note"), [(line[0], "", "") for line in lines]
        )


def write_table(path, head, lines):
    """Write *lines* with tabs between cells."""
    with path.open("w", encoding="utf-8", newline="") as listing:
        csv.writer(listing, delimiter="\t").writerows([head, *lines])


def describe(number, history, event, clones):
    """Return the cells of COLUMNS for *event*."""
    members = history.members(event)
    lead = members[0]
    change = "" if lead.relative_change is None else f"{lead.relative_change:+.1%}"
    if lead.shares:
        change = f"on the upper level in {lead.shares.before:.0%}, then {lead.shares.after:.0%} of runs"
    date = datetime.fromtimestamp(history.history.commits[history.positions[event.commit]].date, UTC)
    scope = f"{describe_scope(members)}; largest: {lead.benchmark}({', '.join(lead.params)})"
    subject = next(filter(None, (subject_of(event.commit, clone) for clone in clones)), "")
    return number, history.name, event.commit[:10], f"{date:%Y-%m-%d}", subject, str(lead.kind), scope, change


def subject_of(commit, clone):
    """Return the first line of the message of *commit*; empty where *clone* does not have it."""
    command = ("git", "-C", clone, "log", "-1", "--format=%s", commit, "--")
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def draw(page, path):
    """Plot some events."""
    figure, axes = plt.subplots(PAGE_SIZE, 3, figsize=(19, 20), gridspec_kw={"width_ratios": (1, 1.2, 1)})
    for row, (number, (history, event)) in zip(axes, page, strict=False):
        members = history.members(event)
        second = next((each for each in members if each.benchmark != members[0].benchmark), members[-1])
        for axis, change, is_close in zip(row, (members[0], members[0], second), (True, False, True), strict=True):
            plot(axis, history, event, change, is_close=is_close)
        row[2].set_visible(second is not members[0])
        *_, kind, _, change = describe(number, history, event, ())
        row[0].set_title(f"{number}: {history.name} {event.commit[:8]}", fontsize=11, loc="left", fontweight="bold")
        row[1].set_title(f"claimed: {kind}, {change}", fontsize=11, loc="left")
        row[2].set_title(f"{len(members)} changes", fontsize=9, loc="right")
    for row in axes[len(page) :]:
        for axis in row:
            axis.set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=75)
    plt.close(figure)


def plot(axis, history, event, change, *, is_close):
    """Plot the raw values of the case of *change*, with a line before the first run of the event's commit."""
    series = history.series_of(change)
    at = int(np.searchsorted(series.positions, history.positions[event.commit]))
    is_creep = change.kind == "creep"
    start = int(np.searchsorted(series.positions, history.positions[change.previous_commit])) if is_creep else at
    shown = slice(max(0, start - AROUND), at + AROUND) if is_close else slice(None)
    framed = slice(max(0, start - CLOSE), at + CLOSE) if is_close else slice(None)
    runs, values = np.arange(len(series.values))[shown], series.values[shown]
    bottom, top = limits(series.values[framed], change)
    for chosen, marker, height in (
        ((values >= bottom) & (values <= top), ".", values),
        (values > top, 6, np.full_like(values, top)),
        (values < bottom, 7, np.full_like(values, bottom)),
    ):
        axis.plot(runs[chosen], height[chosen], ls="", marker=marker, color="0.2", markersize=5)
    axis.set_ylim(bottom, top)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))
    axis.grid(axis="x", color="0.9", linewidth=0.6)
    axis.axvline(at - 0.5, color="tab:green", linewidth=1.2)
    if is_creep:
        axis.axvspan(start, at, color="tab:green", alpha=0.12)


def limits(values, change):
    """Return the middle 94 % and both claimed levels, and a quarter as much on either side."""
    low, high = np.quantile(values, (0.03, 0.97))
    low, high = min(low, change.before, change.after), max(high, change.before, change.after)
    margin = (high - low) / 4 or abs(high) or 1.0
    return low - margin, high + margin


def join(listing, *readings):
    """Print two readings of the events of *listing* by history, and how well they agree; write all into one table."""
    events = read_table(listing)
    numbered = [{line["number"]: line for line in read_table(path)} for path in readings]
    lists = [[lines[event["number"]] for event in events] for lines in numbered]
    ones, others = (tuple((line["reading"] or "").strip() for line in lines) for lines in lists)
    wrong = [reading for reading in (*ones, *others) if reading not in READINGS]
    if wrong:
        sys.exit(f"each of {len(events)} events needs one of {', '.join(READINGS)} from both readers; found {wrong}")
    write_line("| events of | events | first: real, false, misplaced | second | the same | real in both |")
    write_line("|---|---:|---:|---:|---:|---:|")
    groups = ["creep" if event["kind"] == "creep" else event["history"] for event in events]
    for group in (*dict.fromkeys(groups), "all"):
        pairs = [(a, b) for a, b, of in zip(ones, others, groups, strict=True) if group in {of, "all"}]
        counts = [", ".join(str(side.count(each)) for each in READINGS) for side in zip(*pairs, strict=True)]
        same, both = sum(a == b for a, b in pairs), sum(a == b == "real" for a, b in pairs)
        write_line(
            f"| {group} | {len(pairs)} | {counts[0]} | {counts[1]} | {same} | {both} ({both / len(pairs):.0%}) |"
        )
    write_line(f"Cohen's kappa: {kappa(ones, others):.2f}")
    write_table(
        listing.with_name("event-readings.tsv"),
        ("number", "history", "commit", "kind", "change", "first", "second", "notes"),
        [
            (
                *(event[key] for key in ("number", "history", "commit", "kind", "change")),
                first,
                second,
                "; ".join(filter(None, (line["note"] for line in lines))),
            )
            for event, first, second, *lines in zip(events, ones, others, *lists, strict=True)
        ],
    )


def read_table(path):
    """Return the lines of a table with tabs between cells."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def kappa(ones, others):
    """Return the agreement beyond chance (Cohen 1960, doi:10.1177/001316446002000104); 1 if all readings are one."""
    total = len(ones)
    seen = sum(a == b for a, b in zip(ones, others, strict=True)) / total
    chance = sum(ones.count(each) * others.count(each) for each in READINGS) / total**2
    return 1.0 if chance == 1 else (seen - chance) / (1 - chance)


def write_line(text):
    """Write a line to standard output at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

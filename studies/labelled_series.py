# /// script
# requires-python = ">=3.11"
# dependencies = ["apache-otava==0.8.0", "asv==0.6.6", "windtunnel"]
# [tool.uv.sources]
# windtunnel = { path = "..", editable = true }
# ///
"""Compares change detectors on series that other people labelled, for measurements/error-rates.md.

    .venv/bin/uv run --script studies/labelled_series.py FOLDER

FOLDER has the work trees of these repositories of GitHub, each below its own name: mozilla/treeherder and apache/otava
(series of performance in their tests, with the changes that their authors expect), and alan-turing-institute/TCPD
(series of all kinds, each labelled by five people).

A change counts as found if it is reported within five runs of the label, as in TCPD. Reported changes without a label
that are at most five runs apart are one false group. All detectors have their defaults, and report changes of at least
3 % of the level before.
"""

import argparse
import ast
import json
import re
import sys
import warnings
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from asv.step_detect import detect_steps
from builders.histories import a_history, a_history_tree, detect
from otava.analysis import compute_change_points

from windtunnel.detect.series import DEFAULT_MIN_CHANGE

TOLERANCE = 5
"""Runs between a label and a change that count as the same: the margin of TCPD."""
TREEHERDER_TEST = "treeherder/tests/perfalert/test_analyze.py"
TREEHERDER_RUNS = "treeherder/tests/sample_data/artifacts/performance/graphs"
OTAVA_TEST = "otava/tests/tigerbeetle_test.py"
TIGERBEETLE = (15, 71)
"""The changes that the drawing in Otava's test shows; what it calls an anomalous drop and a slope are none."""


class Labelled(NamedTuple):
    """A series, and the changes that each of its annotators sees."""

    name: str
    values: np.ndarray
    labels: tuple[frozenset[int], ...]


def main():
    """Print a line for each set of labels and detector."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--verbose", action="store_true", help="what is found in each series")
    chosen = options.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)
    write_line("| labels | series | changes | detector | found | missed | false groups | F1 |")
    write_line("|---|---:|---:|---|---:|---:|---:|---:|")
    for name, read in (("Mozilla", mozilla), ("TigerBeetle", tigerbeetle)):
        sets = list(read(chosen.folder))
        for detector in DETECTORS:
            write_line(f"| {name} | {len(sets)} | {performance_cells(sets, detector, chosen.verbose)} |")
    everything = list(tcpd(chosen.folder))
    for detector in DETECTORS:
        scores = [annotated_f1(each, detector(each.values)) for each in everything]
        write_line(f"| TCPD | {len(everything)} | five readers | {detector.__name__} | | | | {np.mean(scores):.2f} |")
        if chosen.verbose:
            listed = ", ".join(f"{each.name} {score:.2f}" for each, score in zip(everything, scores, strict=True))
            write_line(f"  {listed}")


def windtunnel(values):
    """All of detection, as for a history of one benchmark."""
    history = a_history(len(values))
    positions = {commit.hash: position for position, commit in enumerate(history.commits)}
    found = detect(a_history_tree({"time_it": values}), history).changes
    return [positions[change.commit] for change in found if change.kind != "creep"]


def asv(values):
    """The step detection of asv with its automatic penalty, as on its pages."""
    return large([left for left, *_ in detect_steps(list(values))[1:]], values)


def otava(values):
    """Apache Otava with its defaults."""
    return large([int(point.index) for point in compute_change_points(list(values))[0]], values)


def nothing(_values):
    """What no detector at all reports; it is right wherever nothing is labelled."""
    return []


DETECTORS = (windtunnel, asv, otava, nothing)


def large(positions, values):
    """Return those of *positions* at which the median changes by as much as Windtunnel reports."""
    levels = [np.median(values[start:end]) for start, end in pairwise((0, *positions, len(values)))]
    return [
        position
        for position, (before, after) in zip(positions, pairwise(levels), strict=True)
        if abs(after - before) >= DEFAULT_MIN_CHANGE * abs(before)
    ]


def mozilla(folder):
    """Return the series of Treeherder's test; it has the times of the first runs after each change."""
    text = (folder / TREEHERDER_TEST).read_text(encoding="utf-8")
    for name, times in re.findall(r'\("(\w+\.json)", \[([\d, ]*)\]\)', text):
        runs = json.loads((folder / TREEHERDER_RUNS / name).read_text(encoding="utf-8"))["test_runs"]
        runs.sort(key=lambda run: run[2])
        at = [next(index for index, run in enumerate(runs) if run[2] == int(time)) for time in times.split(",") if time]
        yield Labelled(name.removesuffix(".json"), np.array([float(run[3]) for run in runs]), (frozenset(at),))


def tigerbeetle(folder):
    """Return the series of Otava's test."""
    tree = ast.parse((folder / OTAVA_TEST).read_text(encoding="utf-8"))
    values = next(node.value for node in ast.walk(tree) if isinstance(node, ast.Return))
    yield Labelled("tigerbeetle", np.array(ast.literal_eval(values), dtype=float), (frozenset(TIGERBEETLE),))


def tcpd(folder):
    """Yield the series of TCPD that its repository contains, with one value at each time and none missing."""
    annotations = json.loads((folder / "TCPD" / "annotations.json").read_text(encoding="utf-8"))
    for path in sorted((folder / "TCPD").glob("datasets/*/*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        values = np.array(found["series"][0]["raw"], dtype=float)
        if found["n_dim"] == 1 and np.isfinite(values).all():
            yield Labelled(found["name"], values, tuple(map(frozenset, annotations[found["name"]].values())))


def performance_cells(sets, detector, is_verbose):
    """Return the cells of *detector* for series with one annotator."""
    found, missed, groups = 0, 0, 0
    for each in sets:
        (labels,), reported = each.labels, detector(each.values)
        hits = {label for label in labels if any(abs(label - at) <= TOLERANCE for at in reported)}
        others = [at for at in reported if all(abs(label - at) > TOLERANCE for label in labels)]
        false = sum(at - before > TOLERANCE for before, at in pairwise([-np.inf, *others]))
        found, missed, groups = found + len(hits), missed + len(labels - hits), groups + false
        if is_verbose:
            write_line(f"  {detector.__name__}, {each.name}: {sorted(labels)} are labelled, {reported} reported")
    score = 2 * found / (2 * found + missed + groups)
    return f"{found + missed} | {detector.__name__} | {found} | {missed} | {groups} | {score:.2f}"


def annotated_f1(series, reported):
    """Return the F1 of TCPD (van den Burg and Williams 2020, arXiv:2003.06222); the first value counts as a change."""
    reported = {0, *reported}
    labels = [{0, *each} for each in series.labels]
    precision = len(matches(set().union(*labels), reported)) / len(reported)
    recall = np.mean([len(matches(each, reported)) / len(each) for each in labels])
    return 2 * precision * recall / (precision + recall)


def matches(labels, reported):
    """Return those of *labels* that are reported, each by a change of its own."""
    left, hits = sorted(reported), set()
    for label in sorted(labels):
        near = [at for at in left if abs(at - label) <= TOLERANCE]
        if near:
            left.remove(min(near, key=lambda at: abs(at - label)))
            hits.add(label)
    return hits


def write_line(line):
    """Write a line to standard output at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""The charts of an event: which cases, which values, without the machine, with their levels."""

from dataclasses import replace

import numpy as np
import pytest
from builders.histories import a_history, a_history_tree, detect, histories

COUNT, POINTS, AT = 8, 90, 45


def columns(seed=51):
    """The times of quiet cases; the last one gets faster, the one before it a little slower."""
    found = {f"m.time_{k}": 0.1 * np.exp(line) for k, line in enumerate(histories(seed, count=COUNT, points=POINTS))}
    found["m.time_7"][AT:] *= 0.36
    found["m.time_6"][AT:] *= 1.2
    return found


def detected(found):
    return detect(a_history_tree(found), a_history(POINTS))


def test_an_event_has_charts_of_its_lead_and_of_its_largest_regression():
    """Thirty values on either side; the levels are those of the change."""
    found = detected(columns())
    (event,) = found.events
    changes = {change.id: change for change in found.changes}
    charts = {changes[chart.change].benchmark: chart for chart in event.charts}
    assert sorted(charts) == ["m.time_6", "m.time_7"]
    lead = charts["m.time_7"]
    assert (len(lead.values), lead.change_index, lead.commits[30]) == (60, 30, event.commit[:12])
    change = changes[lead.change]
    assert [(each.start, each.value) for each in lead.levels] == [(0, change.before), (30, change.after)]


def test_a_slow_run_of_the_machine_is_taken_out():
    """The values as measured stay beside the corrected ones. One series alone does not show the machine."""
    slow = columns()
    for line in slow.values():
        line[[20, 40, 50, 60]] *= 1.5
    (event,) = detected(slow).events
    chart = event.charts[-1]
    at = 40 - (AT - 30)
    assert chart.values[at] == pytest.approx(1.5 * chart.corrected[at], rel=0.1)
    (alone,) = detected({"m.time_7": slow["m.time_7"]}).events
    assert alone.charts[0].corrected == ()


def test_a_new_version_of_a_benchmark_is_listed_with_its_first_commit():
    """A benchmark that always had its version is not."""
    tree = a_history_tree(columns())
    old = [replace(run, rows=tuple(replace(row, version="0") for row in run.rows if row.name == "m.time_1")
                   + tuple(row for row in run.rows if row.name != "m.time_1"))
           for run in tree.runs[:10]]  # fmt: skip
    found = detect(replace(tree, runs=(*old, *tree.runs[10:])), a_history(POINTS))
    assert [(each.benchmark, each.commit) for each in found.versions] == [("m.time_1", tree.runs[10].commit)]

"""The course of a case: what is kept of it with an alert, and the chart that forges draw of it."""

import re
from dataclasses import replace

import numpy as np
from builders.histories import a_history, a_history_tree, detect, histories
from builders.observations import a_change, a_mode, an_observation
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts, AlertState
from windtunnel.detect.alert_plot import COLOURS, plot
from windtunnel.detect.alert_text import CommitInfo, TextOptions, text
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.detected_events import Observation
from windtunnel.detect.format import ChangeKind, ChangeStatus, MeasuredCase, PlotWindow

NUMBER = r"-?\d+(?:\.\d+)?"
ROW = rf"\[{NUMBER}(?:, {NUMBER})*\]"
GRAMMAR = re.compile(
    rf"```mermaid\n{re.escape(COLOURS)}\nxychart-beta\n    x-axis \"[a-z0-9, ]*\" {NUMBER} --> {NUMBER}\n"
    rf"    y-axis \"[A-Za-zµ]*\" {NUMBER} --> {NUMBER}\n    line {ROW}\n    line {ROW}\n```\Z"
)
"""What we use of the grammar in mermaid's own ``xychart.jison``: quoted words, and numbers without exponents."""
HOSTILE = MeasuredCase(
    benchmark='m.time_"]\n```%%{init: {}}%% @all <b>', params=("`|",), environment="e", machine="m", version=None
)
A_CASE = replace(HOSTILE, benchmark="m.time_it", params=(), environment="virtualenv-py3.12", machine="desk")
MOST_CHARACTERS = 2000
"""Of a plot in a mail, which shows its source."""


def a_course(later=3, **more):
    defaults = {"case": A_CASE, "kind": ChangeKind.STEP, "unit": "seconds", "before": 0.1, "after": 0.12}
    return PlotWindow(**{**defaults, "values": (0.1,) * 5 + (0.12,) * later, "split": 5, **more})


def a_look(*found, course, newest=1000, modes=()):
    """A look at changes, whose events went like *course*."""
    look = an_observation(*found, newest=newest, modes=modes)
    events = tuple(replace(event, course=course) for event in look.changes.events)
    return replace(look, changes=replace(look.changes, events=events))


def found_in(columns, points, **more):
    return detect(a_history_tree(columns, **more), a_history(points))


def values(seed=0, points=60):
    return 0.1 * np.exp(histories(seed, count=1, points=points)[0])


FINITE = st.floats(-1e100, 1e100)


@given(
    values=st.lists(FINITE, min_size=2, max_size=40),
    split=st.integers(0, 40),
    levels=st.tuples(FINITE, FINITE),
    unit=st.sampled_from(("seconds", "bytes", "unit", None, 'ms" --> %%')),
    kind=st.sampled_from(ChangeKind),
)
def test_every_chart_is_in_the_grammar(values, split, levels, unit, kind):
    """Whatever was measured, and however it is called: numbers and our own words, not too long for a mail."""
    before, after = levels
    drawn = plot(
        a_course(
            case=HOSTILE,
            values=tuple(values),
            split=min(split, len(values)),
            before=before,
            after=after,
            unit=unit,
            kind=kind,
        )
    )
    caption, _, block = drawn.partition("\n\n")
    assert GRAMMAR.match(block), block
    assert "\n" not in caption
    assert "`" not in re.sub(r"`[^`]*`", "", caption)
    assert len(block) < MOST_CHARACTERS


def test_a_single_late_run_does_not_flatten_the_rest():
    """It is drawn at the edge, which is said."""
    drawn = plot(a_course(values=(0.1, 0.1, 25.0, 0.1, 0.1, 0.12, 0.12, 0.12)))
    assert "drawn at the edge" in drawn
    assert 'y-axis "ms" 98 --> 182' in drawn
    assert "drawn at the edge" not in plot(a_course())


def test_a_creep_has_no_step():
    """Its level leads from the one to the other."""
    drawn = plot(a_course(4, kind=ChangeKind.CREEP))
    assert drawn.splitlines()[-2] == "    line [100, 100, 100, 100, 100, 105, 110, 115, 120]"


def test_detection_shows_the_case_that_became_worst():
    """Twenty values on either side at most, as they were measured."""
    times = {"m.time_a": values(1), "m.time_b": values(2)}
    times["m.time_a"][50:] *= 1.3
    times["m.time_b"][50:] *= 1.6
    (event,) = found_in(times, 60).events
    assert event.course.case.benchmark == "m.time_b"
    assert (len(event.course.values), event.course.split) == (30, 20)
    assert event.course.values[-1] == float(f"{times['m.time_b'][-1]:.4g}")


def test_what_became_better_is_not_drawn():
    """No issue speaks of it."""
    times = values()
    times[40:] *= 0.7
    (event,) = found_in({"m.time_it": times}, 60).events
    assert event.course is None


def test_creep_is_thinned_out():
    """It takes hundreds of runs, and forty values show it."""
    times = 0.1 * np.exp(histories(3, count=1, points=400)[0] / 10) * 1.0005 ** np.arange(400)
    courses = [event.course for event in found_in({"m.time_it": times}, 400).events]
    assert courses
    assert all(course.kind is ChangeKind.CREEP and len(course.values) <= 40 for course in courses)


def test_common_mode_shows_the_middle_case():
    """Relative to the level before, for cases differ by orders of magnitude."""
    times = {f"m.time_{k:02}": 10.0**-k * np.exp(row) for k, row in enumerate(histories(5, count=20, points=60))}
    for column in times.values():
        column[40:] *= 1.2
    (mode,) = found_in(times, 60).common_mode
    assert (mode.course.case, mode.course.split) == (None, 20)
    assert np.allclose(mode.course.values[:20], 1, atol=0.02)
    assert np.allclose(mode.course.values[20:], 1.2, atol=0.03)


def test_the_issue_shows_the_course():
    """Between the table and what to do; without data to draw there is no chart."""
    alerts = update_alerts(Alerts(), a_look(a_change(), course=a_course()))
    shown = text(alerts.alerts[0], CommitInfo(), TextOptions())
    assert shown.index("|---|") < shown.index("xychart-beta") < shown.index("windtunnel ack")
    alerts = update_alerts(Alerts(), a_look(a_change(), course=None))
    assert "mermaid" not in text(alerts.alerts[0], CommitInfo(), TextOptions())


def test_the_issue_links_to_the_history_of_the_case():
    """However it is called."""
    alerts = update_alerts(
        Alerts(),
        a_look(a_change(HOSTILE.benchmark), course=a_course(case=replace(A_CASE, benchmark=HOSTILE.benchmark))),
    )
    shown = text(alerts.alerts[0], CommitInfo(), TextOptions(site_url="https://site.example/"))
    assert (
        "(https://site.example/?page=benchmark&name=m.time_%22%5D%0A%60%60%60%25%25%7Binit%3A%20%7B%7D%7D%25%25%20%40all%20%3Cb%3E)"
        in shown
    )
    alerts = update_alerts(Alerts(), an_observation(modes=(replace(a_mode(), course=a_course(case=None)),)))
    assert "(https://site.example/)" in text(
        alerts.alerts[0], CommitInfo(), TextOptions(site_url="https://site.example/")
    )


def test_a_course_is_drawn_again_when_there_is_twice_as_much_to_see():
    """Three values after a change show little, and an issue is not rewritten with every commit."""
    alerts, shown = Alerts(), []
    for later in range(3, 21):
        alerts = update_alerts(alerts, a_look(a_change(), course=a_course(later), newest=1000 + later))
        shown.append(len(alerts.alerts[0].course.values) - 5)
    assert sorted(set(shown)) == [3, 6, 12]
    assert [note.state for note in alerts.alerts[0].history] == [AlertState.RAISED]


def test_a_look_at_the_same_again_changes_nothing_that_is_drawn():
    """Not the course either."""
    look = a_look(a_change(), course=a_course(), modes=(replace(a_mode(), course=a_course(case=None)),))
    once = update_alerts(Alerts(), look)
    assert once.alerts[1].course.case is None
    assert update_alerts(once, look) == once


def test_the_end_is_drawn():
    """An issue that is closed shows that the level is back."""
    alerts = update_alerts(Alerts(), a_look(a_change(), course=a_course()))
    back = a_course(values=(0.1,) * 5 + (0.12, 0.12, 0.12, 0.1, 0.1), after=0.12)
    alerts = update_alerts(alerts, a_look(a_change(status=ChangeStatus.RECOVERED), course=back, newest=2000))
    assert (alerts.alerts[0].state, alerts.alerts[0].course) == (AlertState.RESOLVED, back)


def test_alerts_of_before_have_no_course():
    """Files that an earlier version wrote are read."""
    alerts = update_alerts(Alerts(), a_look(a_change(), course=None))
    old = ALERTS_FORMAT.encode(alerts).replace(b'"course": null', b'"later": 1')
    assert ALERTS_FORMAT.decode(old, "alerts.json") == alerts


def test_a_course_of_another_case_is_not_shown():
    """An event's cases may belong to several alerts; each shows a case of its own."""
    alerts = update_alerts(Alerts(), a_look(a_change("m.other"), course=a_course()))
    assert alerts.alerts[0].course is None


def test_detected_courses_are_told():
    """From values to the text, with nothing in between."""
    times = values()
    times[40:] *= 1.5
    found = found_in({"m.time_it": times}, 60)
    alerts = update_alerts(Alerts(), Observation(changes=found, when="2026-02-01T00:00:00Z"))
    assert GRAMMAR.search(text(alerts.alerts[0], CommitInfo(), TextOptions()).partition("```\n")[0] + "```")

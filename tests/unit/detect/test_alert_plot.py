"""The values that an alert keeps around a change, and the chart of them in an issue."""

import dataclasses
import re
from typing import get_args

import numpy as np
from builders.histories import a_history, a_history_tree, detect, histories
from builders.observations import a_change, a_shift, an_observation
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from windtunnel.detect.alert_events import Observation
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts
from windtunnel.detect.alert_text import COLOURS, CommitInfo, TextOptions, render_plot, render_text
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import ChangeKind, MeasuredCase, PlotWindow

NUMBER = r"-?\d+(?:\.\d+)?"
ROW = rf"\[{NUMBER}(?:, {NUMBER})*\]"
GRAMMAR = re.compile(
    rf"```mermaid\n{re.escape(COLOURS)}\nxychart-beta\n    x-axis \"[a-z0-9, ]*\" {NUMBER} --> {NUMBER}\n"
    rf"    y-axis \"[A-Za-zµ]*\" {NUMBER} --> {NUMBER}\n    line {ROW}\n    line {ROW}\n```\Z"
)
"""The part of Mermaid's ``xychart.jison`` that the chart uses: quoted words, numbers without exponents."""
HOSTILE = MeasuredCase(
    benchmark='m.time_"]\n```%%{init: {}}%% @all <b>', params=("`|",), environment="e", machine="m", version=None
)
A_CASE = replace(HOSTILE, benchmark="m.time_it", params=(), environment="virtualenv-py3.12", machine="desk")
SITE = TextOptions(site_url="https://site.example/")
MAX_CHARACTERS = 2000
"""Of a chart; mails show its source."""


def a_window(later=3, **given):
    defaults = {"case": A_CASE, "kind": "step", "unit": "seconds", "before": 0.1, "after": 0.12}
    return PlotWindow(**{**defaults, "values": (0.1,) * 5 + (0.12,) * later, "change_index": 5, **given})


def observed(*changes, window, newest=1000):
    """An observation of *changes* whose events have the plot *window*."""
    observation = an_observation(*changes, newest=newest)
    events = tuple(replace(event, plot_window=window) for event in observation.changes.events)
    return dataclasses.replace(observation, changes=replace(observation.changes, events=events))


def machine_observed():
    """An observation of a machine shift with a plot."""
    return an_observation(shifts=(replace(a_shift(), plot_window=a_window(case=None)),))


def alerts_of(*observations):
    alerts = Alerts()
    for observation in observations:
        alerts = update_alerts(alerts, observation)
    return alerts.alerts


def issue(alert, options=TextOptions()):  # noqa: B008 - frozen
    return render_text(alert, CommitInfo(), options)


def detected(columns, points):
    return detect(a_history_tree(columns), a_history(points))


def times(seed=0, points=60):
    return 0.1 * np.exp(histories(seed, count=1, points=points)[0])


FINITE = st.floats(-1e100, 1e100)


@given(
    values=st.lists(FINITE, min_size=2, max_size=40),
    index=st.integers(0, 40),
    levels=st.tuples(FINITE, FINITE),
    unit=st.sampled_from(("seconds", "bytes", "unit", None, 'ms" --> %%')),
    kind=st.sampled_from(get_args(ChangeKind)),
)
def test_every_chart_follows_the_grammar(values, index, levels, unit, kind):
    """Whatever the values and names are, the chart has only numbers and fixed words, and is short."""
    window = a_window(
        case=HOSTILE,
        values=tuple(values),
        change_index=min(index, len(values)),
        before=levels[0],
        after=levels[1],
        unit=unit,
        kind=kind,
    )
    caption, _, chart = render_plot(window).partition("\n\n")
    assert GRAMMAR.match(chart), chart
    assert "\n" not in caption
    assert "`" not in re.sub(r"`[^`]*`", "", caption)
    assert len(chart) < MAX_CHARACTERS


def test_one_slow_run_does_not_flatten_the_others():
    """It is drawn at the edge, and the caption states this."""
    drawn = render_plot(a_window(values=(0.1, 0.1, 25.0, 0.1, 0.1, 0.12, 0.12, 0.12)))
    assert "drawn at its edge" in drawn
    assert 'y-axis "ms" 98 --> 182' in drawn
    assert "drawn at its edge" not in render_plot(a_window())


def test_the_level_of_a_creep_rises_evenly():
    """A creep has no step."""
    drawn = render_plot(a_window(4, kind="creep"))
    assert drawn.splitlines()[-2] == "    line [100, 100, 100, 100, 100, 105, 110, 115, 120]"


def test_an_event_keeps_the_values_of_its_largest_regression():
    """At most twenty values on either side, with four digits."""
    columns = {"m.time_a": times(1), "m.time_b": times(2)}
    columns["m.time_a"][50:] *= 1.3
    columns["m.time_b"][50:] *= 1.6
    (event,) = detected(columns, 60).events
    assert event.plot_window.case.benchmark == "m.time_b"
    assert (len(event.plot_window.values), event.plot_window.change_index) == (30, 20)
    assert event.plot_window.values[-1] == float(f"{columns['m.time_b'][-1]:.4g}")


def test_an_improvement_keeps_no_values():
    """Improvements have no issue."""
    column = times()
    column[40:] *= 0.7
    (event,) = detected({"m.time_it": column}, 60).events
    assert event.plot_window is None


def test_the_values_of_a_creep_are_thinned_out():
    """A creep takes hundreds of runs; forty values show it."""
    column = 0.1 * np.exp(histories(3, count=1, points=400)[0] / 10) * 1.0005 ** np.arange(400)
    windows = [event.plot_window for event in detected({"m.time_it": column}, 400).events]
    assert windows
    assert all(window.kind == "creep" and len(window.values) <= 40 for window in windows)


def test_a_machine_shift_keeps_the_median_case():
    """The values are relative to the level before, because cases differ by orders of magnitude."""
    columns = {f"m.time_{k:02}": 10.0**-k * np.exp(row) for k, row in enumerate(histories(5, count=20, points=60))}
    for column in columns.values():
        column[40:] *= 1.2
    (shift,) = detected(columns, 60).machine_shifts
    window = shift.plot_window
    assert (window.case, window.change_index) == (None, 20)
    assert np.allclose(window.values[:20], 1, atol=0.02)
    assert np.allclose(window.values[20:], 1.2, atol=0.03)


def test_an_issue_shows_the_chart_between_the_table_and_the_advice():
    """Without values there is no chart."""
    shown = issue(alerts_of(observed(a_change(), window=a_window()))[0])
    assert shown.index("|---|") < shown.index("xychart-beta") < shown.index("Updates replace this text")
    assert "mermaid" not in issue(alerts_of(observed(a_change(), window=None))[0])


def test_an_issue_links_to_the_history_of_the_plotted_benchmark():
    """Its name is quoted; a machine shift links to the site."""
    window = a_window(case=replace(A_CASE, benchmark=HOSTILE.benchmark))
    shown = issue(alerts_of(observed(a_change(HOSTILE.benchmark), window=window))[0], SITE)
    quoted = "m.time_%22%5D%0A%60%60%60%25%25%7Binit%3A%20%7B%7D%7D%25%25%20%40all%20%3Cb%3E"
    assert f"(https://site.example/?page=benchmark&name={quoted})" in shown
    assert "(https://site.example/)" in issue(alerts_of(machine_observed())[0], SITE)


def test_a_chart_is_replaced_when_it_has_twice_as_many_values_after_the_change():
    """An issue is not edited with every commit."""
    alerts, counts = Alerts(), []
    for later in range(3, 21):
        alerts = update_alerts(alerts, observed(a_change(), window=a_window(later), newest=1000 + later))
        counts.append(len(alerts.alerts[0].plot_window.values) - 5)
    assert sorted(set(counts)) == [3, 6, 12]
    assert alerts.alerts[0].updated == alerts.alerts[0].raised


def test_the_same_observation_again_keeps_the_charts():
    """Also that of a machine shift."""
    for observation in (observed(a_change(), window=a_window()), machine_observed()):
        once = update_alerts(Alerts(), observation)
        assert once.alerts[0].plot_window is not None
        assert update_alerts(once, observation) == once


def test_a_resolved_alert_shows_that_the_level_recovered():
    """The last chart is kept."""
    back = a_window(values=(0.1,) * 5 + (0.12, 0.12, 0.12, 0.1, 0.1), after=0.12)
    recovered = observed(a_change(status="recovered"), window=back, newest=2000)
    (alert,) = alerts_of(observed(a_change(), window=a_window()), recovered)
    assert (alert.state, alert.plot_window) == ("resolved", back)


def test_a_file_without_charts_is_read():
    """The field is optional, and unknown fields are ignored."""
    alerts = update_alerts(Alerts(), observed(a_change(), window=None))
    content = ALERTS_FORMAT.encode(alerts).replace(b'"plot_window": null', b'"later": 1')
    assert ALERTS_FORMAT.decode(content, "alerts.json") == alerts


def test_an_alert_does_not_show_a_case_of_another_alert():
    """The cases of one event may belong to several alerts."""
    (alert,) = alerts_of(observed(a_change("m.other"), window=a_window()))
    assert alert.plot_window is None


def test_a_detected_change_has_a_chart_in_its_issue():
    """From values to text, without builders between."""
    column = times()
    column[40:] *= 1.5
    observation = Observation(changes=detected({"m.time_it": column}, 60), time="2026-02-01T00:00:00Z")
    shown = issue(alerts_of(observation)[0])
    assert GRAMMAR.search(shown.partition("```\n")[0] + "```")

"""The watchdog: the measuring itself is told of when it goes wrong."""

from pathlib import Path

import pytest
from builders.observations import a_change, an_observation
from builders.records import a_record, a_task
from builders.trees import a_benchmark, a_row, a_run, a_tree, a_value

from windtunnel.asv import configuration
from windtunnel.detect.alert_format import Alerts, AlertState
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.health import DAY, HealthInput, find_health_issues
from windtunnel.errors import ConfigurationError
from windtunnel.model.run_format import State as CaseState
from windtunnel.model.settings import HealthLimits
from windtunnel.results.columns import values_of

NOW = 1_700_000_000_000


def a_measured_run(python="3.12", days_ago=0.0, commit=1):
    """A run that was begun some days ago."""
    from dataclasses import replace

    row = replace(a_row(a_benchmark(), a_value(0.1)), started_at=int(NOW - days_ago * DAY))
    return a_run(row, python=python, commit=commit)


def found(*runs, records=(), alerts=None, **more):
    """What the watchdog says of runs, as (check, name)."""
    vitals = {"pythons": (), "now": NOW, "thresholds": HealthLimits(), "series": 20} | more
    looked = HealthInput(points=values_of(a_tree(*runs)), records=records, **vitals)
    return [(one.check, one.name) for one in find_health_issues(looked, alerts or Alerts())]


def test_all_is_well_while_results_come():
    """No news."""
    assert found(a_measured_run(days_ago=13), a_measured_run("3.13", days_ago=2)) == []


def test_nothing_measured_yet_is_no_ailment():
    """There is nothing to be stale; results of old asv versions say no time."""
    assert found(pythons=("3.12",)) == []
    assert found(a_run(a_row(a_benchmark(), a_value(0.1)))) == []


def test_a_history_goes_stale():
    """Measuring stopped and nobody noticed."""
    assert found(a_measured_run(days_ago=15)) == [("stale", "history")]
    assert found(a_measured_run(days_ago=15), thresholds=HealthLimits(stale_days=20)) == []


def test_a_python_vanishes():
    """asv leaves out an interpreter that it does not find, with a warning that nobody reads."""
    runs = a_measured_run("3.12"), a_measured_run("3.13", days_ago=20)
    assert found(*runs) == [("vanished", "3.13")]
    assert found(*runs, pythons=("3.12", "3.13")) == [("vanished", "3.13")]


def test_a_python_that_is_no_longer_wanted_has_not_vanished():
    """And one that is wanted and never came has."""
    runs = a_measured_run("3.12"), a_measured_run("3.8", days_ago=200)
    assert found(*runs, pythons=("3.12",)) == []
    assert found(*runs, pythons=("3.12", "3.14")) == [("vanished", "3.14")]


@pytest.mark.parametrize(
    ("state", "said"),
    [(CaseState.FAILED, [("coverage", "3.12")]), (CaseState.MEASURED, []), (CaseState.SKIPPED, [])],
)
def test_coverage_drops_when_cases_fail(state, said):
    """Skipped cases were never meant."""
    assert found(a_measured_run(), records=(a_record(a_task(case="m.a", state=state)),)) == said


def test_alarms_that_were_taken_back_are_counted_against_the_promise():
    """More than the promised share of series, within a month."""
    seen = an_observation(*(a_change(f"m.{n}", 10 * n) for n in range(1, 7)))
    alerts = update_alerts(Alerts(), seen)
    for look in range(3):
        alerts = update_alerts(alerts, an_observation(newest=2000 + look, when="2023-11-10T00:00:00Z"))
    assert {alert.state for alert in alerts.alerts} == {AlertState.RESOLVED}
    assert found(a_measured_run(), alerts=alerts, series=20) == [("alarms", "rate")]
    assert found(a_measured_run(), alerts=alerts, series=100) == []
    assert found(a_measured_run(), alerts=alerts, series=20, now=NOW + 60 * DAY)[1:] == []


def test_the_words_stay_the_same_while_nothing_changes():
    """Whoever looks every day is told once."""
    run = a_measured_run(days_ago=15)
    looks = [
        find_health_issues(
            HealthInput(
                points=values_of(a_tree(run)),
                records=(),
                series=1,
                pythons=(),
                now=NOW + day * DAY,
                thresholds=HealthLimits(),
            ),
            Alerts(),
        )
        for day in range(3)
    ]
    assert looks[0] == looks[1] == looks[2] != ()


def test_not_looking_is_not_mending():
    """A call without the results leaves the watchdog's alerts as they are."""
    from dataclasses import replace

    from windtunnel.detect.alert_format import HealthIssue

    sick = an_observation(health_issues=(HealthIssue(check="stale", name="history", text="nothing"),))
    alerts = update_alerts(Alerts(), sick)
    assert update_alerts(alerts, replace(sick, health_issues=None)) == alerts


def thresholds(pyproject):
    return configuration.parse("{}", Path("/suite/asv.conf.json"), pyproject).settings.alerts


def test_thresholds_are_the_projects():
    """[tool.windtunnel.alerts]; what is not said keeps its default."""
    table = "[tool.windtunnel.alerts]\nstale-days = 3\nleast-coverage = 0.5"
    assert thresholds(table) == HealthLimits(stale_days=3.0, least_coverage=0.5)
    assert thresholds("") == HealthLimits()


@pytest.mark.parametrize(
    "line",
    ["stale-days = -1", "stale-days = true", 'stale-days = "3"', "least-coverage = 2", "x = 1", "stale-days = nan"],
)
def test_a_wrong_threshold_is_named(line):
    """With the file and the table."""
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml: tool\.windtunnel\.alerts"):
        thresholds(f"[tool.windtunnel.alerts]\n{line}")

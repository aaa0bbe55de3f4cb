"""The checks of the measurements themselves."""

from dataclasses import replace
from pathlib import Path

import pytest
from builders.observations import a_change, an_observation
from builders.records import a_record, a_task
from builders.trees import a_benchmark, a_row, a_run, a_tree, a_value

from windtunnel.asv import configuration
from windtunnel.detect.alert_format import Alerts, HealthIssue
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.health import DAY, find_false_alarms, find_health_issues, find_missed_results
from windtunnel.errors import ConfigurationError
from windtunnel.model.settings import HealthLimits
from windtunnel.results.columns import values_of

NOW = 1_700_000_000_000


def a_measured_run(python="3.12", days_ago=0.0, commit=1):
    """A run that was started some days ago."""
    row = replace(a_row(a_benchmark(), a_value(0.1)), started_at=int(NOW - days_ago * DAY))
    return a_run(row, python=python, commit=commit)


def issues(*runs, records=(), pythons=(), limits=HealthLimits(), now=NOW, waiting=None):  # noqa: B008 - frozen
    """The health issues of *runs*, where a commit has been *waiting* for a result for so many days."""
    since = None if waiting is None else now - waiting * DAY
    values = values_of(a_tree(*runs))
    missed = find_missed_results(values.newest, since, limits, now)
    return (*missed, *find_health_issues(values, records, pythons, limits))


def found(*runs, **given):
    """The health issues of *runs*, as (check, name)."""
    return [(issue.check, issue.name) for issue in issues(*runs, **given)]


def test_recent_results_have_no_issue():
    """Thirteen days are within the limits."""
    assert found(a_measured_run(days_ago=13), a_measured_run("3.13", days_ago=2)) == []


def test_a_history_without_dates_has_no_issue():
    """Without results nothing is stale, and results of old asv versions have no start times."""
    assert found(pythons=("3.12",), waiting=30) == []
    assert found(a_run(a_row(a_benchmark(), a_value(0.1))), waiting=30) == []


@pytest.mark.parametrize(
    ("result", "commit", "stale"), [(15, 15, True), (15, 13, False), (15, None, False), (13, 15, False)]
)
def test_a_history_is_stale_if_a_commit_waits_for_its_result(result, commit, stale):
    """A quiet repository misses nothing, and a commit of yesterday is no reason for an alarm."""
    assert found(a_measured_run(days_ago=result), waiting=commit) == ([("stale", "history")] if stale else [])


def test_the_days_that_a_commit_may_wait_are_a_setting():
    """They are longer than fourteen here."""
    assert found(a_measured_run(days_ago=15), waiting=15, limits=HealthLimits(stale_days=20)) == []


def test_a_python_whose_results_end_has_vanished():
    """asv skips an interpreter that it does not find, with no more than a warning."""
    runs = a_measured_run("3.12"), a_measured_run("3.13", days_ago=20)
    assert found(*runs) == [("vanished", "3.13")]
    assert found(*runs, pythons=("3.12", "3.13")) == [("vanished", "3.13")]


def test_only_configured_pythons_vanish():
    """A configured Python without any result has vanished too."""
    runs = a_measured_run("3.12"), a_measured_run("3.8", days_ago=200)
    assert found(*runs, pythons=("3.12",)) == []
    assert found(*runs, pythons=("3.12", "3.14")) == [("vanished", "3.14")]


@pytest.mark.parametrize(("state", "expected"), [("failed", [("coverage", "3.12")]), ("measured", []), ("skipped", [])])
def test_failed_cases_reduce_the_coverage(state, expected):
    """Skipped cases count as covered."""
    assert found(a_measured_run(), records=(a_record(a_task(case="m.a", state=state)),)) == expected


def test_too_many_retracted_alarms_are_an_issue():
    """The limit is a share of the series; alarms count for a month."""
    alerts = update_alerts(Alerts(), an_observation(*(a_change(f"m.{n}", 10 * n) for n in range(1, 7))))
    for later in range(3):
        alerts = update_alerts(alerts, an_observation(newest=2000 + later, time="2023-11-10T00:00:00Z"))
    assert {alert.state for alert in alerts.alerts} == {"resolved"}
    (issue,) = find_false_alarms(alerts, 20, HealthLimits(), NOW)
    assert (issue.check, issue.name) == ("alarms", "rate")
    assert find_false_alarms(alerts, 100, HealthLimits(), NOW) == ()
    assert find_false_alarms(alerts, 20, HealthLimits(), NOW + 60 * DAY) == ()


def test_the_message_stays_the_same_while_the_problem_does():
    """Daily checks report a problem once."""
    daily = [issues(a_measured_run(days_ago=15), now=NOW + day * DAY, waiting=15 + day) for day in range(3)]
    assert daily[0] == daily[1] == daily[2] != ()


def test_an_observation_without_checks_leaves_health_alerts_unchanged():
    """A call without --results does not resolve them."""
    stale = an_observation(health_issues=(HealthIssue(check="stale", name="history", message="no result"),))
    alerts = update_alerts(Alerts(), stale)
    assert update_alerts(alerts, replace(stale, health_issues=None)) == alerts


def limits(pyproject):
    return configuration.parse("{}", Path("/suite/asv.conf.json"), pyproject).settings.alerts


def test_the_limits_are_configurable():
    """[tool.windtunnel.alerts] overrides the defaults."""
    table = "[tool.windtunnel.alerts]\nstale-days = 3\nmin-coverage = 0.5"
    assert limits(table) == HealthLimits(stale_days=3.0, min_coverage=0.5)
    assert limits("") == HealthLimits()


@pytest.mark.parametrize(
    "line",
    ["stale-days = -1", "stale-days = true", 'stale-days = "3"', "min-coverage = 2", "x = 1", "stale-days = nan"],
)
def test_a_wrong_limit_is_refused(line):
    """The error names the file and the table."""
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml: tool\.windtunnel\.alerts"):
        limits(f"[tool.windtunnel.alerts]\n{line}")

"""Checks the measurements themselves: stale results, missing Pythons, low coverage, too many retracted alarms."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from windtunnel.detect.alert_format import Alert, Alerts, HealthIssue
from windtunnel.detect.alerts import RETRACTED
from windtunnel.model.run_format import RunRecord
from windtunnel.model.settings import HealthLimits
from windtunnel.results.columns import ResultsValues

DAY = 86_400_000
"""Milliseconds."""
MIN_RETRACTED = 5
"""Retracted series below which their share means nothing."""
RETRACTED_DAYS = 30
"""Days for which a retracted alarm counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthInput:
    """What the checks read."""

    values: ResultsValues
    """The measured values."""
    records: tuple[RunRecord, ...]
    """The run records."""
    series: int
    """How many series detection examined."""
    pythons: tuple[str, ...]
    """The configured Pythons; all that have results where empty."""
    now: int
    """Milliseconds since 1970."""
    limits: HealthLimits


def find_health_issues(given: HealthInput, alerts: Alerts) -> tuple[HealthIssue, ...]:
    """Return what is wrong; the messages stay the same as long as the problem does, so it is reported once."""
    latest = _latest_results(given.values)
    return (
        *_stale(given, latest),
        *_vanished(given, latest),
        *_low_coverage(given),
        *_too_many_retracted(given, alerts),
    )


def count_retracted(alerts: Alerts, now: int) -> int:
    """Return how many series had an alarm that newer results retracted.

    Only alarms that were retracted in the 30 days before *now* (milliseconds since 1970) count.
    """
    since = _day(now - RETRACTED_DAYS * DAY)
    cases = (case for alert in alerts.alerts if _is_retracted(alert, since) for case in alert.cases)
    return len({(case.benchmark, case.params, case.environment, case.machine) for case in cases})


def _latest_results(values: ResultsValues) -> dict[str, int]:
    """Return when each Python's newest result was started, for Pythons whose results state it."""
    latest: dict[str, int] = {}
    for run, columns in zip(values.tree.runs, values.runs, strict=True):
        latest[run.environment.python] = max(columns.newest, latest.get(run.environment.python, 0))
    return {python: started for python, started in latest.items() if started}


def _stale(given: HealthInput, latest: dict[str, int]) -> Iterator[HealthIssue]:
    newest, days = max(latest.values(), default=0), given.limits.stale_days
    if newest and given.now - newest > days * DAY:
        message = f"no new result since {_day(newest)}; there should be one within {days:g} days"
        yield HealthIssue(check="stale", name="history", message=message)


def _vanished(given: HealthInput, latest: dict[str, int]) -> Iterator[HealthIssue]:
    newest, max_age = max(latest.values(), default=0), given.limits.vanished_days * DAY
    for python, started in sorted(latest.items()):
        if newest - started > max_age and (not given.pythons or python in given.pythons):
            message = f"Python {python} has no new result since {_day(started)}, but others have"
            yield HealthIssue(check="vanished", name=python, message=message)
    measured = {run.environment.python for run in given.values.tree.runs}
    for python in sorted(set(given.pythons) - measured) if measured else ():
        message = f"Python {python} is configured and has no result at all"
        yield HealthIssue(check="vanished", name=python, message=message)


def _low_coverage(given: HealthInput) -> Iterator[HealthIssue]:
    """Yield each Python that has results for too few cases of the commits in the latest run."""
    if not given.records:
        return
    last = max(given.records, key=lambda record: record.started)
    commits = {task.commit for task in last.tasks}
    tasks = [task for record in given.records for task in record.tasks if task.commit in commits]
    for python in sorted({task.python for task in tasks}):
        own = [task for task in tasks if task.python == python]
        planned = sum(task.expected for task in own)
        measured = sum(case.state != "failed" for task in own for case in task.cases)
        if planned and measured / planned < given.limits.min_coverage:
            minimum = f"{100 * given.limits.min_coverage:g} %"
            message = f"Python {python} measured {measured / planned:.0%} of its cases; at least {minimum} are expected"
            yield HealthIssue(check="coverage", name=python, message=message)


def _too_many_retracted(given: HealthInput, alerts: Alerts) -> Iterator[HealthIssue]:
    """Yield an issue where newer results retracted more alarms than the detector's error rate allows."""
    retracted = count_retracted(alerts, given.now)
    if retracted >= MIN_RETRACTED and retracted > given.limits.max_retracted * given.series:
        share = f"{100 * given.limits.max_retracted:g} %"
        message = f"newer results retracted the alarms of more than {share} of the series within {RETRACTED_DAYS} days"
        yield HealthIssue(check="alarms", name="rate", message=message)


def _is_retracted(alert: Alert, since: str) -> bool:
    return alert.over == RETRACTED and alert.updated >= since


def _day(moment: int) -> str:
    try:
        return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):
        return "an unknown day"

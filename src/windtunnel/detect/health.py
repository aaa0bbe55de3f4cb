"""Checks the measurements themselves: stale results, missing Pythons, low coverage, too many retracted alarms."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from windtunnel.detect.alert_format import Alerts, HealthIssue
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


def find_health_issues(
    values: ResultsValues, records: Sequence[RunRecord], pythons: Sequence[str], limits: HealthLimits
) -> tuple[HealthIssue, ...]:
    """Return what is wrong; the messages stay the same as long as the problem does, so it is reported once.

    *pythons* are the configured ones, none for all that have results.
    """
    return (*_vanished(values, pythons, limits), *_low_coverage(records, limits))


def find_missed_results(
    newest: int, waiting_since: int | None, limits: HealthLimits, now: int
) -> tuple[HealthIssue, ...]:
    """Return an issue where a commit and its history have waited too long for a result.

    *newest* is when the newest result was started, 0 if no result states it; *waiting_since* is the date of the oldest
    relevant commit after all measured ones, None without one. All are in milliseconds since 1970.
    """
    days = limits.stale_days
    if not newest or waiting_since is None or now - max(newest, waiting_since) <= days * DAY:
        return ()
    message = f"no new result since {_day(newest)}, and a commit has waited for one for more than {days:g} days"
    return (HealthIssue(check="stale", name="history", message=message),)


def find_false_alarms(alerts: Alerts, series: int, limits: HealthLimits, now: int) -> tuple[HealthIssue, ...]:
    """Return an issue where newer results retracted more alarms than the detector's error rate allows.

    Only alarms that were retracted in the 30 days before *now* (milliseconds since 1970) count; *series* were examined.
    """
    since = _day(now - RETRACTED_DAYS * DAY)
    retracted = [alert for alert in alerts.alerts if alert.over == RETRACTED and alert.updated >= since]
    cases = (case for alert in retracted for case in alert.cases)
    count = len({(case.benchmark, case.params, case.environment, case.machine) for case in cases})
    if count < MIN_RETRACTED or count <= limits.max_retracted * series:
        return ()
    share = f"{100 * limits.max_retracted:g} %"
    message = f"newer results retracted the alarms of more than {share} of the series within {RETRACTED_DAYS} days"
    return (HealthIssue(check="alarms", name="rate", message=message),)


def _latest_results(values: ResultsValues) -> dict[str, int]:
    """Return when each Python's newest result was started, for Pythons whose results state it."""
    latest: dict[str, int] = {}
    for run, columns in zip(values.tree.runs, values.runs, strict=True):
        latest[run.environment.python] = max(columns.newest, latest.get(run.environment.python, 0))
    return {python: started for python, started in latest.items() if started}


def _vanished(values: ResultsValues, pythons: Sequence[str], limits: HealthLimits) -> Iterator[HealthIssue]:
    latest, max_age = _latest_results(values), limits.vanished_days * DAY
    newest = max(latest.values(), default=0)
    for python, started in sorted(latest.items()):
        if newest - started > max_age and (not pythons or python in pythons):
            message = f"Python {python} has no new result since {_day(started)}, but others have"
            yield HealthIssue(check="vanished", name=python, message=message)
    measured = {run.environment.python for run in values.tree.runs}
    for python in sorted(set(pythons) - measured) if measured else ():
        message = f"Python {python} is configured and has no result at all"
        yield HealthIssue(check="vanished", name=python, message=message)


def _low_coverage(records: Sequence[RunRecord], limits: HealthLimits) -> Iterator[HealthIssue]:
    """Yield each Python that has results for too few cases of the commits in the latest run."""
    if not records:
        return
    last = max(records, key=lambda record: record.started)
    commits = {task.commit for task in last.tasks}
    tasks = [task for record in records for task in record.tasks if task.commit in commits]
    for python in sorted({task.python for task in tasks}):
        own = [task for task in tasks if task.python == python]
        planned = sum(task.expected for task in own)
        measured = sum(case.state != "failed" for task in own for case in task.cases)
        if planned and measured / planned < limits.min_coverage:
            minimum = f"{100 * limits.min_coverage:g} %"
            message = f"Python {python} measured {measured / planned:.0%} of its cases; at least {minimum} are expected"
            yield HealthIssue(check="coverage", name=python, message=message)


def _day(moment: int) -> str:
    try:
        return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):
        return "an unknown day"

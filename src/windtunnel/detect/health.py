"""Watches the measuring itself: a history that goes stale, cases that are no longer reached, alarms that were false."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from windtunnel.detect.alert_format import Alert, Alerts, AlertState, HealthIssue
from windtunnel.detect.alerts import GONE
from windtunnel.model.run_format import RunRecord
from windtunnel.model.run_format import State as CaseState
from windtunnel.model.settings import HealthLimits
from windtunnel.results.columns import ResultsValues

DAY = 86_400_000
"""Milliseconds."""
FEWEST_TAKEN_BACK = 5
"""Cases; fewer say nothing of a rate."""
LATEST = 30
"""Days back that an alarm that was taken back counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthInput:
    """What the watchdog looks at; *now* is in milliseconds since 1970; *pythons* are those that count, all if empty."""

    points: ResultsValues
    records: tuple[RunRecord, ...]
    series: int
    pythons: tuple[str, ...]
    now: int
    thresholds: HealthLimits


def find_health_issues(vitals: HealthInput, alerts: Alerts) -> tuple[HealthIssue, ...]:
    """Return what is wrong; the words stay the same as long as it is, so that nobody is told twice."""
    latest = _latest(vitals.points)
    checks = (_stale(vitals, latest), _vanished(vitals, latest), _uncovered(vitals), _alarming(vitals, alerts))
    return tuple(one for found in checks for one in found)


def count_retracted(alerts: Alerts, now: int) -> int:
    """Return how many series raised an alarm that newer results took back.

    Counted are the last 30 days before *now*, in milliseconds since 1970.
    """
    since = _day(now - LATEST * DAY)
    return _cases([alert for alert in alerts.alerts if _is_taken_back(alert, since)])


def _latest(points: ResultsValues) -> dict[str, int]:
    """Return when each Python's newest result was begun; those of which nobody knows are left out."""
    latest: dict[str, int] = {}
    for run, found in zip(points.tree.runs, points.runs, strict=True):
        latest[run.environment.python] = max(found.newest, latest.get(run.environment.python, 0))
    return {python: begun for python, begun in latest.items() if begun}


def _stale(vitals: HealthInput, latest: dict[str, int]) -> Iterator[HealthIssue]:
    newest, days = max(latest.values(), default=0), vitals.thresholds.stale_days
    if newest and vitals.now - newest > days * DAY:
        text = f"no new result since {_day(newest)}; there should be one within {days:g} days"
        yield HealthIssue(check="stale", name="history", text=text)


def _vanished(vitals: HealthInput, latest: dict[str, int]) -> Iterator[HealthIssue]:
    newest, days = max(latest.values(), default=0), vitals.thresholds.vanished_days
    for python, begun in sorted(latest.items()):
        wanted = not vitals.pythons or python in vitals.pythons
        if wanted and newest - begun > days * DAY:
            text = f"Python {python} has no new result since {_day(begun)}, others have"
            yield HealthIssue(check="vanished", name=python, text=text)
    runs = vitals.points.tree.runs
    for python in sorted(set(vitals.pythons) - {run.environment.python for run in runs}):
        if runs:
            yield HealthIssue(
                check="vanished", name=python, text=f"Python {python} is configured and has no result at all"
            )


def _uncovered(vitals: HealthInput) -> Iterator[HealthIssue]:
    """Yield each Python that reached too few cases of the commits that were measured last."""
    if not vitals.records:
        return
    last = max(vitals.records, key=lambda record: record.started)
    commits = {task.commit for task in last.tasks}
    tasks = [task for record in vitals.records for task in record.tasks if task.commit in commits]
    for python in sorted({task.python for task in tasks}):
        own = [task for task in tasks if task.python == python]
        expected = sum(task.expected for task in own)
        reached = sum(case.state is not CaseState.FAILED for task in own for case in task.cases)
        if expected and reached / expected < vitals.thresholds.least_coverage:
            least = f"{100 * vitals.thresholds.least_coverage:g} %"
            text = f"Python {python} reached {reached / expected:.0%} of its cases; at least {least} should be"
            yield HealthIssue(check="coverage", name=python, text=text)


def _alarming(vitals: HealthInput, alerts: Alerts) -> Iterator[HealthIssue]:
    """Say when more cases raised alarms that were taken back than the detector promises."""
    cases = count_retracted(alerts, vitals.now)
    if cases >= FEWEST_TAKEN_BACK and cases > vitals.thresholds.most_taken_back * vitals.series:
        most = f"{100 * vitals.thresholds.most_taken_back:g} %"
        text = f"more than {most} of the series raised alarms within {LATEST} days that newer results took back"
        yield HealthIssue(check="alarms", name="rate", text=text)


def _is_taken_back(alert: Alert, since: str) -> bool:
    last = alert.history[-1] if alert.history else None
    return last is not None and last.state is AlertState.RESOLVED and last.why == GONE and last.when >= since


def _cases(alerts: Sequence[Alert]) -> int:
    members = (one for alert in alerts for one in alert.members)
    return len({(one.benchmark, one.params, one.environment, one.machine) for one in members})


def _day(moment: int) -> str:
    try:
        return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):
        return "an unknown day"

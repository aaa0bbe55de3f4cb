"""What a bisection searches: the commits that the user names, or those of an alert."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel import files
from windtunnel.cli.alert_issues import AlertOptions, format_time
from windtunnel.cli.console import Console
from windtunnel.cli.store_location import open_shared_file
from windtunnel.cli.suite import find_suite
from windtunnel.compare.bisect_format import REQUEST_FORMAT, BisectionRequest, PackageChange, find_package_changes
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alert, Alerts
from windtunnel.detect.alerts import find_alert
from windtunnel.detect.bisections import begin, build_request, choose_alert, python_of, searched_case
from windtunnel.errors import UsageError
from windtunnel.model.run_format import RunRecord
from windtunnel.results.tree import read_records

NO_LIMIT = 10**6
"""Minutes of a search that a person starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is searched."""

    benchmark: str
    """A case, as the user or the alert names it."""
    good: str
    bad: str
    environment: str = ""
    """The only environment to measure in; empty for the default."""
    python: str = ""
    """The Python of that environment; empty for the default."""
    expected: float | None = None
    """The relative change of time, if it is known."""
    packages: tuple[PackageChange, ...] = ()
    """The packages that moved."""
    minutes: int | None = None
    """The time limit."""

    @classmethod
    def of(cls, request: BisectionRequest) -> "Wanted":
        """Return what *request* asks for."""
        return cls(
            benchmark=request.case,
            good=request.good,
            bad=request.bad,
            environment=request.environment,
            python=request.python,
            expected=request.expected,
            packages=request.packages,
            minutes=None if request.minutes == NO_LIMIT else request.minutes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPackages:
    """The packages of each run, from run records."""

    records: tuple[RunRecord, ...]
    """Sorted, oldest first."""
    project: str
    """The project's distribution, which is left out."""

    @classmethod
    def read(cls, results: Path | None, project: str) -> "RunPackages":
        """Read the records in the results tree *results*; without one, nothing is known."""
        return cls(records=read_records(results)[0] if results else (), project=project)

    def changes(self, good: str, bad: str, *, environment: str = "", python: str = "") -> tuple[PackageChange, ...]:
        """Return the packages that differ between the newest runs of the commits *good* and *bad*.

        Without an *environment*, the first one of *python* counts in which both have a run. Empty without records.
        """
        before, after = (self._packages(commit) for commit in (good, bad))
        both = [
            name for name in before if name in after and environment in {"", name} and python in {"", python_of(name)}
        ]
        return find_package_changes(before[both[0]], after[both[0]], self.project) if both else ()

    def of_alert(self, alert: Alert) -> tuple[PackageChange, ...]:
        """Return the packages that differ between the runs before and after the change of *alert*."""
        case, location = searched_case(alert), alert.location
        if case is None or location is None:
            return ()
        return self.changes(location.previous_commit, location.commit, environment=case.environment)

    def _packages(self, commit: str) -> dict[str, tuple[str, ...]]:
        """Return the packages of the newest run of *commit* by environment."""
        tasks = (task for record in self.records for task in record.tasks if task.commit == commit)
        return {task.environment: task.build.packages for task in tasks if task.build}


def request_of_alert(
    prefix: str, options: AlertOptions, known: RunPackages, env: Mapping[str, str]
) -> BisectionRequest:
    """Return the search for the alert whose id begins with *prefix*; raises UsageError if it has no such range."""
    with open_shared_file(options, options.alerts, ALERTS_FORMAT, env) as store:
        alert = find_alert(store.read(), prefix)
    if searched_case(alert) is None:
        raise UsageError(f"alert {alert.id} has no regression at a range of commits, so there is nothing to search")
    return build_request(alert, known.of_alert(alert), NO_LIMIT)


def next_request(
    options: AlertOptions, known: RunPackages, console: Console, env: Mapping[str, str]
) -> BisectionRequest | None:
    """Choose the alert that is searched next and count its minutes in alerts.json; None if there is none to search."""
    minutes_a_day = find_suite(options.config, env).settings.alerts.bisect_minutes
    day = format_time(time.time())[:10]
    chosen: list[tuple[Alert, int] | None] = []

    def step(before: Alerts) -> Alerts:
        found = choose_alert(before, day, minutes_a_day, lambda alert: bool(known.of_alert(alert)))
        chosen.append(found)
        return begin(before, found[0].id, found[1], day) if found else before

    with open_shared_file(options, options.alerts, ALERTS_FORMAT, env) as store:
        after = store.update(step)
    found = chosen[-1]
    if found is None:
        used = after.bisected.minutes if after.bisected.day == day else 0
        console.log(f"no alert is searched: none needs it, or {used} of {minutes_a_day} minutes of today are used")
        return None
    return build_request(found[0], known.of_alert(found[0]), found[1])


def read_request(path: Path) -> BisectionRequest:
    """Return the search in the file *path*, which ``--next-alert`` wrote."""
    return files.read(path, REQUEST_FORMAT)

"""``windtunnel ci alert``: keeps alerts.json and the GitHub issues up to date, one issue for each cause."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from windtunnel import files
from windtunnel.bench.commit_selection import CommitFilter, PlanRequest, choose
from windtunnel.cli.alert_issues import (
    AlertIssues,
    IssueOptions,
    describe,
    format_time,
    has_token,
    issue_numbers,
    report_issues,
)
from windtunnel.cli.console import Console
from windtunnel.cli.locations import open_shared_file
from windtunnel.cli.options import Arg, File, Folder
from windtunnel.cli.suite import find_optional_suite, settings_of
from windtunnel.detect import alert_format
from windtunnel.detect.alert_events import Observation
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.detect.health import find_false_alarms, find_health_issues, find_missed_results
from windtunnel.errors import ExitCode, RemoteError, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.github.alert_issues import read_issues
from windtunnel.github.client import RepositoryName, connect
from windtunnel.results.branch.exchange import SharedFile
from windtunnel.results.column_reading import read_with_cache
from windtunnel.results.tree import read_records


class AlertRunOptions(IssueOptions, frozen=True, kw_only=True):
    """Save what was detected in alerts.json, and keep one GitHub issue for each cause up to date.

    An issue is closed when the level is back. A second call on the same data changes nothing. The token is read from
    $GITHUB_TOKEN, the repository from $GITHUB_REPOSITORY.

    example:
      windtunnel ci alert changes.json --site https://org.github.io/project/
      windtunnel ci alert changes.json --alerts .asv/results/alerts.json --dry-run
    """

    changes: Annotated[Path, Arg(positional=True)]
    """The changes.json that windtunnel detect wrote."""
    results: Folder | None = None
    """The results tree, to check also the health of the measurements."""
    cache: Folder | None = None
    """Keep what was read from --results here; name the cache of windtunnel detect (default: no cache)."""
    copy: File | None = None
    """Write a copy of alerts.json here, for windtunnel publish."""
    dry_run: bool = False
    """Print the changes of issues, and change nothing."""


def run(options: AlertRunOptions, console: Console, env: Mapping[str, str]) -> int:
    """Update alerts.json and the issues; exit code 4 when GitHub refused changes, which the next call repeats."""
    if not options.no_issues and not options.dry_run:
        RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
        if not has_token(env):
            raise UsageError("a token is missing; set GITHUB_TOKEN, or show the changes with --dry-run")
    issues = AlertIssues.find(options, env, console)
    observe = _observer(options, issues.repository, console)
    with open_shared_file(options, options.alerts, alert_format.ALERTS_FORMAT, env) as store:
        if options.dry_run:
            return _preview(issues, store.read(), observe, console, env)
        if options.no_issues:
            _update(store, options, observe)
            return ExitCode.FINE
        with connect(env) as client:
            try:
                tracker = issues.tracker(client, env, console)
                read = read_issues(client, tracker, issue_numbers(store.read())) if tracker else ()
            except RemoteError:
                _update(store, options, observe)
                raise
            alerts = _update(store, options, lambda before: observe(issues.noted(before, read)))
            if tracker is None:
                return ExitCode.FINE
            report = issues.update(client, tracker, alerts)
        _update(store, options, lambda before: issues.noted(before, report.issues))
    return report_issues(report, console)


def _update(
    store: SharedFile[alert_format.Alerts],
    options: AlertRunOptions,
    change: Callable[[alert_format.Alerts], alert_format.Alerts],
) -> alert_format.Alerts:
    """Return the alerts after *change*, and write the copy that the *options* name."""
    alerts = store.update(change)
    if options.copy:
        write_atomically(options.copy, alert_format.ALERTS_FORMAT.encode(alerts))
    return alerts


def _observer(
    options: AlertRunOptions, repository: Repository | None, console: Console
) -> Callable[[alert_format.Alerts], alert_format.Alerts]:
    """Return the function that updates alerts from what was detected."""
    now = time.time()
    seen = Observation(changes=files.read(options.changes, CHANGES_FORMAT), time=format_time(now))
    if options.results is None:
        return lambda before: update_alerts(before, seen)
    suite, milliseconds = find_optional_suite(options.config), int(now * 1000)
    limits, pythons = settings_of(suite).alerts, suite.asv.pythons if suite else ()
    values = read_with_cache(options.results, options.cache, console.warn)
    new = CommitFilter(
        irrelevant=settings_of(suite).irrelevant_paths, stored=frozenset(run.commit for run in values.tree.runs)
    )
    waiting = _waiting_since(repository, seen.changes.newest_commit, new)
    found = (
        *find_missed_results(values.newest, waiting, limits, milliseconds),
        *find_health_issues(values, read_records(options.results)[0], pythons, limits),
    )

    def observe(before: alert_format.Alerts) -> alert_format.Alerts:
        alarms = find_false_alarms(before, seen.changes.series, limits, milliseconds)
        return update_alerts(before, replace(seen, health_issues=(*found, *alarms)))

    return observe


def _waiting_since(repository: Repository | None, newest: str, new: CommitFilter) -> int | None:
    """Return the date of the oldest *new* commit up to *newest*, in milliseconds since 1970; None if unknown."""
    if repository is None or not repository.has(newest):
        return None
    waiting, _ = choose(repository, PlanRequest(commits=1, revisions=newest), new)
    return min((commit.author_date * 1000 for commit in waiting), default=None)


def _preview(
    issues: AlertIssues,
    before: alert_format.Alerts,
    observe: Callable[[alert_format.Alerts], alert_format.Alerts],
    console: Console,
    env: Mapping[str, str],
) -> int:
    """Print the changes that a call would make, from the issues on GitHub if they can be read."""
    read: Sequence[alert_format.ExistingIssue] = ()
    if env.get("GITHUB_REPOSITORY") and has_token(env):
        with connect(env) as client:
            tracker = issues.tracker(client, env, console)
            read = read_issues(client, tracker, issue_numbers(before)) if tracker else ()
    for change in issues.decide(observe(issues.noted(before, read)), read):
        console.print(f"would {describe(change)}\n")
    return ExitCode.FINE

"""``windtunnel ci alert``: keeps alerts.json and the GitHub issues up to date, one issue for each cause."""

import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from windtunnel import files
from windtunnel.cli.alert_issues import (
    AlertOptions,
    IssueOptions,
    IssueText,
    describe,
    desired_issues,
    find_tracker,
    format_time,
    has_token,
    report_issues,
)
from windtunnel.cli.console import Console
from windtunnel.cli.history_options import FeedOptions, write_feeds
from windtunnel.cli.options import Arg, File, Folder
from windtunnel.cli.store_location import open_shared_file
from windtunnel.cli.suite import find_optional_suite, settings_of
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts, IssueChange
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.detected_events import Observation
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.detect.health import HealthInput, find_health_issues
from windtunnel.detect.issue_changes import DesiredIssue, decide_issue_changes
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.github.alert_issues import read_issues, update_issues
from windtunnel.github.client import RepositoryName, connect
from windtunnel.results.column_reading import read_with_cache
from windtunnel.results.tree import read_records


class AlertRunOptions(AlertOptions, frozen=True, kw_only=True):
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
    feeds: FeedOptions
    copy: File | None = None
    """Write a copy of alerts.json here, for windtunnel publish."""
    issues: IssueOptions
    no_issues: bool = False
    """Update alerts.json only, without contacting GitHub."""
    dry_run: bool = False
    """Print the changes of issues, and change nothing."""


def run(options: AlertRunOptions, console: Console, env: Mapping[str, str]) -> int:
    """Update alerts.json and the issues; exit code 4 when GitHub refused changes, which the next call repeats."""
    with_issues = not options.no_issues and not options.dry_run
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", "")) if with_issues else None
    if with_issues and not has_token(env):
        raise UsageError("a token is missing; set GITHUB_TOKEN, or show the changes with --dry-run")
    alerts = _update(options, env, console)
    if not options.dry_run:
        _write_copies(alerts, options)
    if options.no_issues and not options.dry_run:
        return ExitCode.FINE
    text = IssueText(suite=options, issues=options.issues, site=options.feeds.site)
    desired = desired_issues(alerts.alerts, text, env, console)
    if options.dry_run:
        for change in _preview(desired, options, env):
            console.print(f"would {describe(change)}\n")
    elif repo is not None:
        with connect(env) as client:
            decide = functools.partial(decide_issue_changes, desired, options.issues.key)
            return report_issues(update_issues(client, find_tracker(client, repo, options.issues), decide), console)
    return ExitCode.FINE


def _update(options: AlertRunOptions, env: Mapping[str, str], console: Console) -> Alerts:
    """Update alerts.json and return its content; a dry run leaves the file as it is."""
    now = time.time()
    seen = Observation(changes=files.read(options.changes, CHANGES_FORMAT), time=format_time(now))
    health = _health_input(options, seen.changes.series, int(now * 1000), console)

    def step(before: Alerts) -> Alerts:
        found = None if health is None else find_health_issues(health, before)
        return update_alerts(before, replace(seen, health_issues=found))

    with open_shared_file(options, options.alerts, ALERTS_FORMAT, env) as store:
        return step(store.read()) if options.dry_run else store.update(step)


def _health_input(options: AlertRunOptions, series: int, now: int, console: Console) -> HealthInput | None:
    if options.results is None:
        return None
    suite = find_optional_suite(options.config)
    return HealthInput(
        values=read_with_cache(options.results, options.cache, console.warn).values,
        records=read_records(options.results)[0],
        series=series,
        pythons=suite.asv.pythons if suite else (),
        now=now,
        limits=settings_of(suite).alerts,
    )


def _write_copies(alerts: Alerts, options: AlertRunOptions) -> None:
    if options.copy:
        write_atomically(options.copy, ALERTS_FORMAT.encode(alerts))
    if options.feeds.feeds:
        found = files.read(options.changes, CHANGES_FORMAT)
        write_feeds(options.feeds, found, alerts, find_optional_suite(options.config))


def _preview(
    desired: Sequence[DesiredIssue], options: AlertRunOptions, env: Mapping[str, str]
) -> Sequence[IssueChange]:
    """Return the changes that a call would make, from the issues on GitHub if they can be read."""
    name = env.get("GITHUB_REPOSITORY", "")
    if not name or not has_token(env):
        return decide_issue_changes(desired, options.issues.key, ())
    with connect(env) as client:
        tracker = find_tracker(client, RepositoryName.parse(name), options.issues)
        return decide_issue_changes(desired, options.issues.key, read_issues(client, tracker))

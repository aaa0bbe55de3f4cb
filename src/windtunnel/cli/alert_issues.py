"""What commands that update the issues of alerts share."""

import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from windtunnel.asv.configuration import project_page
from windtunnel.cli.console import Console
from windtunnel.cli.locations import RemoteOptions, Site
from windtunnel.cli.options import File, Name
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, open_repository
from windtunnel.cli.workflow_run import own_run
from windtunnel.detect import alert_format
from windtunnel.detect.alert_text import build_text
from windtunnel.detect.alerts import decide_issue_changes, note_issues
from windtunnel.errors import DataError, ExitCode, RefusedError, UsageError
from windtunnel.git.repository import Repository, read_author
from windtunnel.github.alert_issues import IssueReport, IssueTracker, has_issues, update_issues
from windtunnel.github.api_issues import get_author
from windtunnel.github.client import Client, RepositoryName


class AlertOptions(RemoteOptions, frozen=True, kw_only=True):
    """Options of commands that use alerts.json."""

    alerts: File | None = None
    """alerts.json in a folder (default: the one on the results branch)."""


class IssueOptions(AlertOptions, frozen=True, kw_only=True):
    """Options of commands that update issues as well."""

    key: Name = "default"
    """Distinguishes the issues of several suites."""
    site: Site = ""
    """The address of the history site, for links."""
    no_issues: bool = False
    """Update alerts.json only, without contacting GitHub."""


def format_time(seconds: float) -> str:
    """Return a time, in seconds since 1970, as alerts.json has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def describe(change: alert_format.IssueChange) -> str:
    """Return the change of an issue in a line."""
    match change:
        case alert_format.OpenIssue():
            return f"open an issue for {change.alert}: {change.title}"
        case alert_format.UpdateIssue():
            return f"update #{change.number}: {change.title}"
        case alert_format.CloseIssue():
            return f"close #{change.number}"


def has_token(env: Mapping[str, str]) -> bool:
    """Return whether there is a token for GitHub."""
    return bool(env.get("GITHUB_TOKEN") or env.get("GH_TOKEN"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertIssues:
    """The issues of a suite's alerts: what they say, and how they must change."""

    key: str
    """Distinguishes the issues of several suites."""
    repository_url: str
    """The project's page, for links; empty where there is none."""
    site_url: str
    repository: Repository | None
    """The project's repository, for commit messages; None where there is none."""
    time: str
    """When the issues are read, in UTC (ISO 8601)."""

    @classmethod
    def find(cls, options: IssueOptions, env: Mapping[str, str], console: Console) -> Self:
        """Return the issues of the suite that the options name."""
        here = own_run(env).repository_url
        suite = find_optional_suite(options.config)
        return cls(
            key=options.key,
            repository_url=project_page(suite, here) if suite else here,
            site_url=options.site,
            repository=_repository(options, env, console),
            time=format_time(time.time()),
        )

    @staticmethod
    def tracker(client: Client, env: Mapping[str, str], console: Console) -> IssueTracker | None:
        """Return the issues that the owner of the token has opened; None, with a warning, where issues are off."""
        repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
        if has_issues(client, repo):
            return IssueTracker(repo=repo, author=get_author(client))
        console.warn(f"{repo} has issues switched off, so alerts are only saved; switch them on, or use --no-issues")
        return None

    def noted(self, alerts: alert_format.Alerts, issues: Sequence[alert_format.ExistingIssue]) -> alert_format.Alerts:
        """Return *alerts* with what people did to the *issues*."""
        return note_issues(alerts, self.key, issues, self.time)

    def decide(
        self, alerts: alert_format.Alerts, issues: Sequence[alert_format.ExistingIssue]
    ) -> Sequence[alert_format.IssueChange]:
        """Return what to change; the newest alert comes first. Closed issues of alerts that are not open stay."""
        noted = tuple(reversed(self.noted(alerts, issues).alerts))
        texts = {}
        for alert in noted:
            if alert.state == "open" or (alert.issue is not None and alert.issue.state == "open"):
                here, place = self.repository, alert.location
                suspect = read_author(here, place.commit) if here is not None and place is not None else None
                if text := build_text(alert, self.key, suspect, self.repository_url, self.site_url):
                    texts[alert.id] = text
        return decide_issue_changes(noted, self.key, issues, texts)

    def update(self, client: Client, tracker: IssueTracker, alerts: alert_format.Alerts) -> IssueReport:
        """Change the issues until they show the *alerts*."""
        return update_issues(client, tracker, issue_numbers(alerts), functools.partial(self.decide, alerts))


def issue_numbers(alerts: alert_format.Alerts) -> frozenset[int]:
    """Return the numbers of the issues that are read even without their label: none that ended with its alert."""
    noted = ((one.issue, one.over) for one in alerts.alerts if one.issue and one.issue.state != "gone")
    return frozenset(issue.number for issue, over in noted if not over or issue.state == "open")


def report_issues(report: IssueReport, console: Console) -> int:
    """Print what was changed; raises RefusedError for what GitHub refused."""
    for change in report.done:
        console.print(f"did {describe(change)}\n")
    if report.left:
        console.warn(f"{report.left} more issues are left for later calls")
    for refusal in report.refused:
        console.warn(refusal)
    if report.refused:
        raise RefusedError(f"GitHub refused {len(report.refused)} changes, listed above", status=403)
    return ExitCode.FINE


def _repository(options: SuiteOptions, env: Mapping[str, str], console: Console) -> Repository | None:
    """Return the project's repository, for commit messages; None where there is none."""
    try:
        return open_repository(options, find_optional_suite(options.config), env, console)
    except (UsageError, DataError):
        if options.repo:
            raise
        return None

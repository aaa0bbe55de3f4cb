"""What commands that update the issues of alerts share: the issues that should exist, and the tracker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from windtunnel.asv.configuration import project_page
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, File, Name, PositiveInt
from windtunnel.cli.store_location import RemoteOptions
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, open_repository
from windtunnel.cli.workflow_run import own_run
from windtunnel.detect.alert_format import (
    Alert,
    CloseIssue,
    IssueChange,
    OpenIssue,
    ReopenIssue,
    UpdateIssue,
)
from windtunnel.detect.alert_text import CommitInfo, TextOptions, is_actionable
from windtunnel.detect.issue_changes import DesiredIssue, build_issue
from windtunnel.errors import DataError, ExitCode, RefusedError, UsageError
from windtunnel.git.repository import Repository, read_author
from windtunnel.github import single_comment
from windtunnel.github.alert_issues import IssueReport, IssueTracker
from windtunnel.github.client import Client, RepositoryName


class AlertOptions(RemoteOptions, frozen=True, kw_only=True):
    """Options of commands that use alerts.json."""

    alerts: File | None = None
    """alerts.json in a folder (default: the one on the results branch)."""


def format_time(seconds: float) -> str:
    """Return a time, in seconds since 1970, as alerts.json has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class IssueOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which issues, and what they say."""

    mention_authors: bool = False
    """Mention the authors of candidate commits by @name."""
    key: Name = "default"
    """Distinguishes the issues of several suites."""
    author: Annotated[str, Arg(metavar="LOGIN")] = ""
    """The account that owns the issues (default: the owner of the token)."""
    most: PositiveInt = 10
    """Open at most this many new issues in one call."""


def describe(change: IssueChange) -> str:
    """Return the change of an issue in a line."""
    match change:
        case OpenIssue():
            return f"open an issue for {change.alert}: {change.title}"
        case UpdateIssue():
            return f"update #{change.number}: {change.title}"
        case CloseIssue():
            return f"close #{change.number}"
        case ReopenIssue():
            return f"reopen #{change.number}"


def has_token(env: Mapping[str, str]) -> bool:
    """Return whether there is a token for GitHub."""
    return bool(env.get("GITHUB_TOKEN") or env.get("GH_TOKEN"))


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueText:
    """Where the texts of issues come from."""

    suite: SuiteOptions
    issues: IssueOptions
    site: str
    """The address of the history site, for links."""


def desired_issues(
    alerts: Sequence[Alert], given: IssueText, env: Mapping[str, str], console: Console
) -> tuple[DesiredIssue, ...]:
    """Return the issues that should exist for *alerts*, the newest alert first."""
    here = own_run(env).repository_url
    suite = find_optional_suite(given.suite.config)
    text = TextOptions(
        repository_url=project_page(suite, here) if suite else here,
        site_url=given.site,
        mention=given.issues.mention_authors,
    )
    repository = _repository(given.suite, env, console)
    actionable = (one for one in reversed(alerts) if is_actionable(one))
    built = (build_issue(one, given.issues.key, _commit_info(one, repository), text) for one in actionable)
    return tuple(issue for issue in built if issue is not None)


def find_tracker(client: Client, repo: RepositoryName, issues: IssueOptions) -> IssueTracker:
    """Return the issues of *repo* that the owner of the token, or the named account, has opened."""
    author = issues.author or single_comment.get_author(client)
    return IssueTracker(repo=repo, author=author, max_new=issues.most)


def report_issues(report: IssueReport, console: Console) -> int:
    """Print what was changed; raises RefusedError for what GitHub refused."""
    for change in report.done:
        console.print(f"did {describe(change)}\n")
    if report.left:
        console.warn(f"{report.left} more issues are left for later calls; --most opens more at once")
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


def _commit_info(alert: Alert, repository: Repository | None) -> CommitInfo:
    if repository is None or alert.location is None:
        return CommitInfo()
    found = read_author(repository, alert.location.commit)
    return CommitInfo(subject=found.subject, author=found.author, login=found.login)

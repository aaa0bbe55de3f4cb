"""From what alerts.json remembers to the issues that should be, and to those at GitHub: the second half of alert."""

import argparse
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.detect.alert_format import Alert, Alerts, IssueChange
from windtunnel.detect.alert_text import CommitInfo, TextOptions, is_actionable
from windtunnel.detect.issue_changes import DesiredIssue, build_issue, decide_issue_changes
from windtunnel.errors import WindtunnelError
from windtunnel.git.repository import Repository, read_author
from windtunnel.github import single_comment
from windtunnel.github.alert_issues import IssueReport, IssueTracker, read_issues, update_issues
from windtunnel.github.client import Client, connect
from windtunnel.github.http import RepositoryName


def has_token(env: Mapping[str, str]) -> bool:
    """Tell whether GitHub can be asked as somebody."""
    return bool(env.get("GITHUB_TOKEN") or env.get("GH_TOKEN"))


def wishes(alerts: Alerts, options: argparse.Namespace, env: Mapping[str, str]) -> tuple[DesiredIssue, ...]:
    """Return the issues that should be, the newest alert first."""
    server, name = env.get("GITHUB_SERVER_URL", "https://github.com"), env.get("GITHUB_REPOSITORY", "")
    around = TextOptions(
        repository_url=f"{server.rstrip('/')}/{name}" if name else "",
        site_url=options.site,
        mention=options.mention_authors,
    )
    repository = _repository(options, env)
    bad = (one for one in reversed(alerts.alerts) if is_actionable(one))
    made = (build_issue(one, options.key, _suspect(one, repository), around) for one in bad)
    return tuple(one for one in made if one is not None)


def foreseen(
    wished: Sequence[DesiredIssue], options: argparse.Namespace, env: Mapping[str, str]
) -> Sequence[IssueChange]:
    """Return what would be done, by what stands at GitHub where that can be asked."""
    name = env.get("GITHUB_REPOSITORY", "")
    if not name or not has_token(env):
        return decide_issue_changes(wished, options.key, ())

    with connect(env) as client:
        tracker = _tracker(client, RepositoryName.parse(name), options)
        return decide_issue_changes(wished, options.key, read_issues(client, tracker))


def carried_out(
    wished: Sequence[DesiredIssue], repo: RepositoryName, options: argparse.Namespace, env: Mapping[str, str]
) -> IssueReport:
    """Do what is missing at GitHub and return it."""
    with connect(env) as client:
        decide = functools.partial(decide_issue_changes, wished, options.key)
        return update_issues(client, _tracker(client, repo, options), decide)


def _tracker(client: Client, repo: RepositoryName, options: argparse.Namespace) -> IssueTracker:
    author = options.author or single_comment.get_author(client)
    return IssueTracker(repo=repo, author=author, max_new=options.most)


def _repository(options: argparse.Namespace, env: Mapping[str, str]) -> Repository | None:
    if options.repo:
        return Repository.at(options.repo, env)
    try:
        return Repository.at(Path.cwd(), env)
    except WindtunnelError:
        return None


def _suspect(alert: Alert, repository: Repository | None) -> CommitInfo:
    if repository is None or alert.location is None:
        return CommitInfo()
    found = read_author(repository, alert.location.commit)
    return CommitInfo(subject=found.subject, author=found.author, login=found.login)

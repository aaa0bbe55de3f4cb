"""Reads and changes the issues of alerts, although other runs may write at the same time and responses may be lost."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from windtunnel.detect import alert_format
from windtunnel.errors import RefusedError, RemoteBusyError
from windtunnel.github import client as api
from windtunnel.github.api_issues import Issue
from windtunnel.github.client import Client, RepositoryName

LABEL = "windtunnel"
"""Marks Windtunnel's issues; GitHub creates the label with the first issue."""
MUTED = "muted"
"""The label with which a person mutes an alert."""
GONE = frozenset({404, 410})
"""Statuses of issues that were deleted."""
MAX_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTracker:
    """The issues of a repository that Windtunnel opened."""

    repo: RepositoryName
    author: str
    """The login whose issues are Windtunnel's."""
    max_new: int = 10
    """The most issues that one call opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueReport:
    """What a call changed."""

    done: tuple[alert_format.IssueChange, ...]
    refused: tuple[str, ...]
    """GitHub's reasons for each refused change."""
    left: int
    """New issues left for the next call."""
    issues: tuple[alert_format.ExistingIssue, ...]
    """The issues afterwards."""


def has_issues(client: Client, repo: RepositoryName) -> bool:
    """Return whether *repo* has issues; where they are off, lists are empty, and each issue answers as if deleted."""
    return client.send(api.get(repo.path(), dict[str, object])).get("has_issues") is not False


def read_issues(
    client: Client, tracker: IssueTracker, numbers: Collection[int]
) -> tuple[alert_format.ExistingIssue, ...]:
    """Return the issues that Windtunnel opened, and those with *numbers*, whatever became of them."""
    found: dict[int, alert_format.ExistingIssue] = {}  # a list that changes while it is read may repeat entries
    order = {"sort": "created", "direction": "asc"}  # a new one moves no other one to another page
    # GitHub's filter by author depends on the token, so the author is compared here.
    listed = api.pages(tracker.repo.path("issues"), "", Issue, state="all", labels=LABEL, **order)
    for one in client.entries(listed):
        own = one.user is not None and one.user.login.lower() == tracker.author.lower()
        if one.pull_request is None and (own or one.number in numbers):
            found[one.number] = _existing(one)
    for number in sorted(set(numbers) - set(found)):
        found[number] = _read_one(client, tracker.repo, number)
    return tuple(found.values())


def _read_one(client: Client, repo: RepositoryName, number: int) -> alert_format.ExistingIssue:
    """Return an issue without the label; GitHub redirects to one that was moved to another repository."""
    try:
        issue = client.send(api.get(repo.path("issues", number), Issue))
    except RefusedError as refused:
        if refused.status not in GONE:
            raise
        return alert_format.ExistingIssue(number=number, state="gone")
    here = f"/{repo}/issues/{number}".lower()
    if issue.number != number or not issue.html_url.lower().endswith(here):
        return alert_format.ExistingIssue(number=number, state="gone")
    return _existing(issue)


def _existing(issue: Issue) -> alert_format.ExistingIssue:
    refused = issue.state_reason in {"not_planned", "duplicate"}
    closed: alert_format.IssueState = "not_planned" if refused else "completed"
    return alert_format.ExistingIssue(
        number=issue.number,
        state="open" if issue.state == "open" else closed,
        muted=any(label.name.lower() == MUTED for label in issue.labels),
        person=issue.closed_by.login if issue.closed_by and issue.state != "open" else "",
        reopened=issue.state == "open" and issue.state_reason == "reopened",
        body=issue.body or "",
    )


def update_issues(
    client: Client,
    tracker: IssueTracker,
    numbers: Collection[int],
    decide: Callable[[Sequence[alert_format.ExistingIssue]], Sequence[alert_format.IssueChange]],
) -> IssueReport:
    """Make the changes that *decide* returns for the existing issues, until it returns none.

    Raises RemoteBusyError where changes are still missing after several rounds; the next call makes them.
    """
    done: list[alert_format.IssueChange] = []
    refused: dict[alert_format.IssueChange, str] = {}
    opened = 0
    for _ in range(MAX_ROUNDS):
        issues = read_issues(client, tracker, numbers)
        missing = [one for one in decide(issues) if one not in refused]
        new = [one for one in missing if isinstance(one, alert_format.OpenIssue)]
        late = new[max(0, tracker.max_new - opened) :]
        missing = [one for one in missing if one not in late]
        if not missing:
            return IssueReport(done=tuple(done), refused=tuple(refused.values()), left=len(late), issues=issues)
        for issue_change in missing:
            try:
                _make(client, tracker.repo, issue_change)
            except RefusedError as error:
                refused[issue_change] = str(error)
            else:
                opened += isinstance(issue_change, alert_format.OpenIssue)
                done.append(issue_change)
    raise RemoteBusyError(f"{tracker.repo}: not all issues were updated; run the same command again")


def _make(client: Client, repo: RepositoryName, change: alert_format.IssueChange) -> None:
    match change:
        case alert_format.OpenIssue(title=title, body=body):
            with suppress(RemoteBusyError):  # the issue may exist all the same, which the next read shows
                new = {"title": title, "body": body, "labels": (LABEL,)}
                client.send(api.create(repo.path("issues"), Issue, new))
        case alert_format.UpdateIssue(number=number, title=title, body=body):
            client.send(api.change(repo.path("issues", number), Issue, {"title": title, "body": body}))
        case alert_format.CloseIssue(number=number, completed=completed):
            closed = {"state": "closed", "state_reason": "completed" if completed else "not_planned"}
            client.send(api.change(repo.path("issues", number), Issue, closed))
        case _:
            assert_never(change)

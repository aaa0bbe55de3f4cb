"""Reads and changes the issues of alerts, although other runs may write at the same time and responses may be lost."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from windtunnel.detect.alert_format import (
    CloseIssue,
    ExistingIssue,
    IssueChange,
    IssueState,
    OpenIssue,
    UpdateIssue,
)
from windtunnel.errors import RefusedError, RemoteBusyError
from windtunnel.github.api_issues import Issue, close_issue, create_issue, get_issue, list_issues, update_issue
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
    max_new: int
    """The most issues that one call opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueReport:
    """What a call changed."""

    done: tuple[IssueChange, ...]
    refused: tuple[str, ...]
    """GitHub's reasons for each refused change."""
    left: int
    """New issues left for the next call."""
    issues: tuple[ExistingIssue, ...]
    """The issues afterwards."""


def read_issues(client: Client, tracker: IssueTracker, numbers: Collection[int]) -> tuple[ExistingIssue, ...]:
    """Return the issues that Windtunnel opened, and those with *numbers*, whatever became of them."""
    found: dict[int, ExistingIssue] = {}  # a list that changes while it is read may repeat entries
    for one in client.entries(list_issues(tracker.repo, "all", labels=LABEL)):
        own = one.user is not None and one.user.login.lower() == tracker.author.lower()
        if one.pull_request is None and (own or one.number in numbers):
            found[one.number] = _existing(one)
    for number in sorted(set(numbers) - set(found)):
        found[number] = _read_one(client, tracker.repo, number)
    return tuple(found.values())


def _read_one(client: Client, repo: RepositoryName, number: int) -> ExistingIssue:
    """Return an issue without the label; GitHub redirects to one that was moved to another repository."""
    try:
        issue = client.send(get_issue(repo, number))
    except RefusedError as refused:
        if refused.status not in GONE:
            raise
        return ExistingIssue(number=number, state=IssueState.GONE)
    here = f"/{repo}/issues/{number}".lower()
    if issue.number != number or not issue.html_url.lower().endswith(here):
        return ExistingIssue(number=number, state=IssueState.GONE)
    return _existing(issue)


def _existing(issue: Issue) -> ExistingIssue:
    closed = IssueState.NOT_PLANNED if issue.state_reason in {"not_planned", "duplicate"} else IssueState.COMPLETED
    return ExistingIssue(
        number=issue.number,
        state=IssueState.OPEN if issue.state == "open" else closed,
        muted=any(label.name.lower() == MUTED for label in issue.labels),
        person=issue.closed_by.login if issue.closed_by and issue.state != "open" else "",
        body=issue.body or "",
    )


def update_issues(
    client: Client,
    tracker: IssueTracker,
    numbers: Collection[int],
    decide: Callable[[Sequence[ExistingIssue]], Sequence[IssueChange]],
) -> IssueReport:
    """Make the changes that *decide* returns for the existing issues, until it returns none.

    Raises RemoteBusyError where changes are still missing after several rounds; the next call makes them.
    """
    done: list[IssueChange] = []
    refused: dict[IssueChange, str] = {}
    opened = 0
    for _ in range(MAX_ROUNDS):
        issues = read_issues(client, tracker, numbers)
        missing = [one for one in decide(issues) if one not in refused]
        new = [one for one in missing if isinstance(one, OpenIssue)]
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
                opened += isinstance(issue_change, OpenIssue)
                done.append(issue_change)
    raise RemoteBusyError(f"{tracker.repo}: not all issues were updated; run the same command again")


def _make(client: Client, repo: RepositoryName, change: IssueChange) -> None:
    match change:
        case OpenIssue(title=title, body=body):
            with suppress(RemoteBusyError):  # the issue may exist all the same, which the next read shows
                client.send(create_issue(repo, title, body, (LABEL,)))
        case UpdateIssue(number=number, title=title, body=body):
            client.send(update_issue(repo, number, title, body))
        case CloseIssue(number=number, completed=completed):
            client.send(close_issue(repo, number, "completed" if completed else "not_planned"))
        case _:
            assert_never(change)

"""Updates the issues of alerts, although other runs may write at the same time and responses may be lost."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from windtunnel.detect.alert_format import CloseIssue, ExistingIssue, IssueChange, OpenIssue, ReopenIssue, UpdateIssue
from windtunnel.errors import RefusedError, RemoteBusyError
from windtunnel.github.api_issues import (
    IssueState,
    StateReason,
    create_issue,
    list_issues,
    set_issue_state,
    update_issue,
)
from windtunnel.github.client import Client, RepositoryName

LABEL = "windtunnel"
"""Marks Windtunnel's issues; GitHub creates the label with the first issue."""
MAX_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTracker:
    """The issues of a repository that Windtunnel opened."""

    repo: RepositoryName
    """The repository."""
    author: str
    """The login whose issues are Windtunnel's."""
    max_new: int
    """The most issues that one call opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueReport:
    """What a call changed."""

    done: tuple[IssueChange, ...]
    """The changes made."""
    refused: tuple[str, ...]
    """GitHub's reasons for each refused change."""
    left: int
    """New issues left for the next call."""


def read_issues(client: Client, tracker: IssueTracker) -> tuple[ExistingIssue, ...]:
    """Return the issues that Windtunnel opened, open and closed."""
    found: dict[int, ExistingIssue] = {}  # a list that changes while it is read may repeat entries
    for one in client.entries(list_issues(tracker.repo, "all", labels=LABEL)):
        own = one.user is not None and one.user.login.lower() == tracker.author.lower()
        if own and one.pull_request is None:
            found[one.number] = ExistingIssue(number=one.number, body=one.body or "", is_open=one.state == "open")
    return tuple(found.values())


def update_issues(
    client: Client, tracker: IssueTracker, decide: Callable[[Sequence[ExistingIssue]], Sequence[IssueChange]]
) -> IssueReport:
    """Make the changes that *decide* returns for the existing issues, until it returns none.

    Raises RemoteBusyError where changes are still missing after several rounds; the next call makes them.
    """
    done: list[IssueChange] = []
    refused: dict[IssueChange, str] = {}
    opened = 0
    for _ in range(MAX_ROUNDS):
        missing = [one for one in decide(read_issues(client, tracker)) if one not in refused]
        new = [one for one in missing if isinstance(one, OpenIssue)]
        late = new[max(0, tracker.max_new - opened) :]
        missing = [one for one in missing if one not in late]
        if not missing:
            return IssueReport(done=tuple(done), refused=tuple(refused.values()), left=len(late))
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
            reason = StateReason.COMPLETED if completed else StateReason.NOT_PLANNED
            client.send(set_issue_state(repo, number, IssueState.CLOSED, reason))
        case ReopenIssue(number=number):
            client.send(set_issue_state(repo, number, IssueState.OPEN, StateReason.REOPENED))
        case _:
            assert_never(change)

"""Brings the issues of a repository to what alerts say, however many do so at once and whatever answer gets lost."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from windtunnel.detect.issue_format import CloseIssue, ExistingIssue, IssueChange, OpenIssue, ReopenIssue, UpdateIssue
from windtunnel.errors import RefusedError, RemoteBusyError
from windtunnel.github.api_comments import (
    IssueEnd,
    IssueState,
    IssueText,
    NewIssue,
    Reason,
    create_issue,
    list_issues,
    rewrite_issue,
    set_issue_state,
)
from windtunnel.github.client import Client
from windtunnel.github.http import RepositoryName

LABEL = "windtunnel"
"""By which our issues are found among thousands; it is made with the first one."""
MAX_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTracker:
    """The issues of a repository that *author* opened; a call opens at most *max_new* issues."""

    repo: RepositoryName
    author: str
    max_new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueReport:
    """The changes made, the reasons of refusals, and how many new issues are left for the next call."""

    done: tuple[IssueChange, ...]
    refused: tuple[str, ...]
    left: int


async def read_issues(client: Client, tracker: IssueTracker) -> tuple[ExistingIssue, ...]:
    """Return the issues that Windtunnel opened, open and closed."""
    found = []
    async for page in client.pages(list_issues(tracker.repo, "all", labels=LABEL)):
        for one in page:
            own = one.user is not None and one.user.login.lower() == tracker.author.lower()
            if own and one.pull_request is None:
                is_open = one.state == "open"
                found.append(ExistingIssue(number=one.number, body=one.body or "", is_open=is_open))
    return tuple(found)


async def update_issues(
    client: Client, tracker: IssueTracker, decide: Callable[[Sequence[ExistingIssue]], Sequence[IssueChange]]
) -> IssueReport:
    """Make the changes that *decide* returns for the existing issues, until it returns none.

    Raises RemoteBusyError where changes are still missing after several rounds; the next call makes them.
    """
    done: list[IssueChange] = []
    refused: dict[IssueChange, str] = {}
    opened = 0
    for _ in range(MAX_ROUNDS):
        missing = [one for one in decide(await read_issues(client, tracker)) if one not in refused]
        new = [one for one in missing if isinstance(one, OpenIssue)]
        late = new[max(0, tracker.max_new - opened) :]
        missing = [one for one in missing if one not in late]
        if not missing:
            return IssueReport(done=tuple(done), refused=tuple(refused.values()), left=len(late))
        for effect in missing:
            try:
                await _carry_out(client, tracker, effect)
            except RefusedError as error:
                refused[effect] = str(error)
            else:
                opened += isinstance(effect, OpenIssue)
                done.append(effect)
    raise RemoteBusyError(f"{tracker.repo}: not all issues were updated; run the same command again")


async def _carry_out(client: Client, tracker: IssueTracker, effect: IssueChange) -> None:
    repo = tracker.repo
    match effect:
        case OpenIssue():
            issue = NewIssue(title=effect.title, body=effect.body, labels=(LABEL,))
            with suppress(RemoteBusyError):  # it may be there all the same: the next look tells
                await client.send(create_issue(repo, issue))
        case UpdateIssue():
            await client.send(rewrite_issue(repo, effect.number, IssueText(title=effect.title, body=effect.body)))
        case CloseIssue():
            reason = Reason.COMPLETED if effect.completed else Reason.NOT_PLANNED
            end = IssueEnd(state=IssueState.CLOSED, state_reason=reason)
            await client.send(set_issue_state(repo, effect.number, end))
        case ReopenIssue():
            end = IssueEnd(state=IssueState.OPEN, state_reason=Reason.REOPENED)
            await client.send(set_issue_state(repo, effect.number, end))
        case _:
            assert_never(effect)

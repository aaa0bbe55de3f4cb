"""Brings the issues of a repository to what alerts say, however many do so at once and whatever answer gets lost."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from windtunnel.detect.issue_changes import (
    CloseIssue,
    Effect,
    OpenIssue,
    ReopenIssue,
    RewriteIssue,
    Standing,
    Wanted,
    effects,
    standing,
)
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
MOST_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Where alerts are told: only issues of *author* count, *key* tells suites apart, *most* new ones a call."""

    repo: RepositoryName
    author: str
    key: str
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was done, what was refused and why, and how many new issues were left for the next call."""

    done: tuple[Effect, ...]
    refused: tuple[str, ...]
    left: int


async def there(client: Client, board: Board) -> tuple[Standing, ...]:
    """Return our issues, open and closed."""
    found = []
    async for page in client.pages(list_issues(board.repo, "all", labels=LABEL)):
        for one in page:
            own = one.user is not None and one.user.login.lower() == board.author.lower()
            if own and one.pull_request is None:
                is_open = one.state == "open"
                found.append(standing(one.number, one.body or "", board.key, is_open=is_open))
    return tuple(one for one in found if one is not None)


async def tell(client: Client, board: Board, wishes: Sequence[Wanted]) -> Told:
    """Carry out what is missing, and look again until nothing is.

    Raises RemoteBusyError where some of it could not be told; the next call tells it.
    """
    done: list[Effect] = []
    refused: dict[Effect, str] = {}
    opened = 0
    for _ in range(MOST_ROUNDS):
        missing = [one for one in effects(wishes, await there(client, board)) if one not in refused]
        new = [one for one in missing if isinstance(one, OpenIssue)]
        late = new[max(0, board.most - opened) :]
        missing = [one for one in missing if one not in late]
        if not missing:
            return Told(done=tuple(done), refused=tuple(refused.values()), left=len(late))
        for effect in missing:
            try:
                await _carry_out(client, board, effect)
            except RefusedError as error:
                refused[effect] = str(error)
            else:
                opened += isinstance(effect, OpenIssue)
                done.append(effect)
    raise RemoteBusyError(f"{board.repo}: not every alert could be told; nothing is lost, run the same command again")


async def _carry_out(client: Client, board: Board, effect: Effect) -> None:
    repo = board.repo
    match effect:
        case OpenIssue():
            issue = NewIssue(title=effect.title, body=effect.body, labels=(LABEL,))
            with suppress(RemoteBusyError):  # it may be there all the same: the next look tells
                await client.send(create_issue(repo, issue))
        case RewriteIssue():
            await client.send(rewrite_issue(repo, effect.number, IssueText(title=effect.title, body=effect.body)))
        case CloseIssue():
            reason = Reason.COMPLETED if effect.fixed else Reason.NOT_PLANNED
            end = IssueEnd(state=IssueState.CLOSED, state_reason=reason)
            await client.send(set_issue_state(repo, effect.number, end))
        case ReopenIssue():
            end = IssueEnd(state=IssueState.OPEN, state_reason=Reason.REOPENED)
            await client.send(set_issue_state(repo, effect.number, end))
        case _:
            assert_never(effect)

"""One comment that is brought up to date, however many write at once and whatever answer gets lost."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.compare.comment_metadata import CommentMetadata, PostedVerdict
from windtunnel.errors import RefusedError, RemoteBusyError
from windtunnel.github.api_comments import (
    BOT,
    Comment,
    create_comment,
    delete_comment,
    list_comments,
    update_comment,
    whoami,
)
from windtunnel.github.client import Client
from windtunnel.github.http import RepositoryName

MOST_TRIES = 5
GONE = frozenset({404, 410})


class Outcome(StrEnum):
    """What became of a comment."""

    CREATED = "created"
    UPDATED = "updated"
    UNNEEDED = "not needed"
    SUPERSEDED = "left as it is: a later run wrote it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Where the comment belongs: issue or pull request *number*; only what *author* wrote is ours."""

    repo: RepositoryName
    number: int
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A comment of ours as it stands there."""

    comment: Comment
    marked: PostedVerdict


async def author(client: Client) -> str:
    """Return whose comments are ours; a workflow's token may not ask, and always is the same bot's."""
    try:
        return (await client.send(whoami())).login
    except RefusedError as refused:
        if refused.status in {401, 403, 404}:
            return BOT
        raise


async def post(
    client: Client, thread: Thread, metadata: CommentMetadata, write: Callable[[PostedVerdict | None], str | None]
) -> Outcome:
    """Leave exactly one comment with *marker*'s key; *write* makes its text from what stood there, None for no need.

    Nobody can lock a thread, so whoever has written looks again: of several comments the oldest stays. What a later
    run wrote is not overwritten.
    """
    outcome = Outcome.UNNEEDED
    for _ in range(MOST_TRIES):
        found = await _own(client, thread, metadata.key)
        first = found[0] if found else None
        if first is not None and first.marked.metadata.order > metadata.order:
            return Outcome.SUPERSEDED
        body = write(None if first is None else first.marked)
        if body is None:
            return Outcome.UNNEEDED
        if first is None:
            outcome = Outcome.CREATED
            with suppress(RemoteBusyError):  # it may stand there all the same: the next look tells
                await client.send(create_comment(thread.repo, thread.number, body))
        else:
            outcome = outcome if outcome is Outcome.CREATED else Outcome.UPDATED
            await _update(client, thread, first, body)
        if await _alone(client, thread, metadata):
            return outcome
    raise RemoteBusyError(f"{thread.repo}#{thread.number}: the comment changes under our hands; run it again")


async def _own(client: Client, thread: Thread, key: str) -> tuple[Own, ...]:
    """Return our comments, oldest first, from all pages."""
    found = []
    async for page in client.pages(list_comments(thread.repo, thread.number)):
        for one in page:
            marked = PostedVerdict.read(one.body, key)
            if marked and one.user and one.user.login.lower() == thread.author.lower():
                found.append(Own(comment=one, marked=marked))
    return tuple(sorted(found, key=lambda own: own.comment.id))


async def _update(client: Client, thread: Thread, own: Own, body: str) -> None:
    """Write *body* where *own* stands; when somebody removed it meanwhile, the next look tells."""
    if own.comment.body.replace("\r\n", "\n").rstrip() == body.rstrip():
        return
    try:
        await client.send(update_comment(thread.repo, own.comment.id, body))
    except RefusedError as refused:
        if refused.status not in GONE:
            raise


async def _alone(client: Client, thread: Thread, metadata: CommentMetadata) -> bool:
    """Remove all of our comments but the oldest; tell whether that one bears our verdict, or a later one."""
    found = await _own(client, thread, metadata.key)
    for other in found[1:]:
        await _remove(client, thread, other)
    return bool(found) and found[0].marked.metadata.order >= metadata.order


async def _remove(client: Client, thread: Thread, own: Own) -> None:
    try:
        await client.send(delete_comment(thread.repo, own.comment.id))
    except RefusedError as refused:
        if refused.status not in GONE:
            raise

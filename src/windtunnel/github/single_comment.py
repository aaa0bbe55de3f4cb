"""Keeps one comment up to date, although other runs may write at the same time and responses may be lost."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.errors import RefusedError, RemoteBusyError
from windtunnel.github.api_issues import (
    WORKFLOW_BOT,
    Comment,
    create_comment,
    delete_comment,
    get_account,
    list_comments,
    update_comment,
)
from windtunnel.github.client import Client, RepositoryName, Request, T
from windtunnel.github.comment_metadata import CommentMetadata, PostedVerdict

MAX_ATTEMPTS = 5
GONE = frozenset({404, 410})


class CommentOutcome(StrEnum):
    """What happened to a comment."""

    CREATED = "created"
    UPDATED = "updated"
    UNNEEDED = "not needed"
    SUPERSEDED = "unchanged: a later run wrote it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """The issue or pull request of a comment."""

    repo: RepositoryName
    """The repository."""
    number: int
    """The issue or pull request."""
    author: str
    """The login whose comments are Windtunnel's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnComment:
    """A comment that Windtunnel wrote."""

    comment: Comment
    """As GitHub returns it."""
    posted: PostedVerdict
    """What it holds."""


def get_author(client: Client) -> str:
    """Return the login of the token; a workflow's token may not request it and always belongs to the same bot."""
    try:
        return client.send(get_account()).login
    except RefusedError as refused:
        if refused.status in {401, 403, 404}:
            return WORKFLOW_BOT
        raise


def post(
    client: Client,
    discussion: Discussion,
    metadata: CommentMetadata,
    render: Callable[[PostedVerdict | None], str | None],
) -> CommentOutcome:
    """Leave exactly one comment with the key of *metadata*.

    *render* returns the text, given what the existing comment holds; None means that no comment is needed. GitHub has
    no lock for comments, so the comments are read again after each write and only the oldest is kept. A comment of a
    later run is not overwritten.
    """
    outcome = CommentOutcome.UNNEEDED
    for _ in range(MAX_ATTEMPTS):
        first = next(iter(find_own(client, discussion, metadata.key)), None)
        if first is not None and first.posted.metadata.order > metadata.order:
            return CommentOutcome.SUPERSEDED
        body = render(None if first is None else first.posted)
        if body is None:
            return CommentOutcome.UNNEEDED
        if first is None:
            outcome = CommentOutcome.CREATED
            with suppress(RemoteBusyError):  # the comment may exist all the same, which the next read shows
                client.send(create_comment(discussion.repo, discussion.number, body))
        else:
            outcome = outcome if outcome is CommentOutcome.CREATED else CommentOutcome.UPDATED
            if first.comment.body.replace("\r\n", "\n").rstrip() != body.rstrip():
                _send_unless_gone(client, update_comment(discussion.repo, first.comment.id, body))
        if _keep_oldest(client, discussion, metadata):
            return outcome
    raise RemoteBusyError(f"{discussion.repo}#{discussion.number}: the comment was edited concurrently; retry")


def find_own(client: Client, discussion: Discussion, key: str) -> list[OwnComment]:
    """Return Windtunnel's comments, oldest first."""
    found: dict[int, OwnComment] = {}  # a list that changes while it is read may repeat entries
    for comment in client.entries(list_comments(discussion.repo, discussion.number)):
        posted = PostedVerdict.read(comment.body, key)
        if posted and comment.user and comment.user.login.lower() == discussion.author.lower():
            found[comment.id] = OwnComment(comment=comment, posted=posted)
    return sorted(found.values(), key=lambda own: own.comment.id)


def _keep_oldest(client: Client, discussion: Discussion, metadata: CommentMetadata) -> bool:
    """Delete all own comments but the oldest; return whether that one holds this verdict or a later one."""
    found = find_own(client, discussion, metadata.key)
    for other in found[1:]:
        _send_unless_gone(client, delete_comment(discussion.repo, other.comment.id))
    return bool(found) and found[0].posted.metadata.order >= metadata.order


def _send_unless_gone(client: Client, request: Request[T]) -> None:
    """Send *request*; a comment that was deleted meanwhile is ignored."""
    try:
        client.send(request)
    except RefusedError as refused:
        if refused.status not in GONE:
            raise

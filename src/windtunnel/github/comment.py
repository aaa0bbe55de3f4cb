"""Windtunnel's one comment on a pull request: the hidden line that identifies it, and how it is kept up to date.

Only comments of Windtunnel's own author are read: anyone can write such a line. Other runs may write at the same time,
and responses may be lost.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Literal, Self

from windtunnel.errors import RefusedError, RemoteBusyError, UsageError
from windtunnel.github.api_issues import Comment
from windtunnel.github.client import Client, RepositoryName, Request, T, change, create, pages
from windtunnel.text.escaping import size

KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")
LINE = re.compile(r"<!-- windtunnel:verdict key=([A-Za-z0-9_.-]+) head=([0-9a-f]{7,64}) run=(\d{1,18})\.(\d{1,6}) -->")
EARLIER = re.compile(r"^- `[0-9a-f]{7,10}`: .*$", re.MULTILINE)
HEADLINE = re.compile(r"\A## (.*)$", re.MULTILINE)
BEGIN, END = "<!-- windtunnel:earlier -->", "<!-- windtunnel:earlier-end -->"

MAX_EARLIER = 10
"""Earlier verdicts that stay in a comment."""
MAX_EARLIER_LENGTH = 4000
"""Characters of all of them together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentMetadata:
    """Which comment it is, and which run of a workflow wrote it."""

    key: str
    """Distinguishes the suites of a repository."""
    head: str
    """The commit."""
    run: int = 0
    """The workflow run."""
    attempt: int = 1
    """The attempt of the workflow run."""

    def __post_init__(self) -> None:
        """Reject a key that could not be read back."""
        if not KEY.fullmatch(self.key):
            raise UsageError(f"--key {self.key[:80]!r} is not valid; use up to 60 letters, digits, and . _ -")

    @property
    def order(self) -> tuple[int, int]:
        """Return a value that is larger for a later run; GitHub's ids grow."""
        return self.run, self.attempt

    def __str__(self) -> str:
        """Return the hidden line."""
        return f"<!-- windtunnel:verdict key={self.key} head={self.head} run={self.run}.{self.attempt} -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedVerdict:
    """What an existing comment of Windtunnel holds."""

    metadata: CommentMetadata
    """The hidden line."""
    headline: str
    """The heading without ``##``."""
    earlier: tuple[str, ...]
    """One line for each earlier verdict, newest first."""
    comment: Comment | None = field(default=None, compare=False)
    """The comment, as GitHub returned it."""

    @classmethod
    def read(cls, body: str, key: str) -> Self | None:
        """Return what *body* holds, None where its last line is not the hidden line for *key*."""
        text = body.replace("\r\n", "\n")
        found = LINE.fullmatch(text.rstrip().rpartition("\n")[2])
        if found is None or found[1] != key:
            return None
        headline = HEADLINE.search(text)
        listed = text.partition(BEGIN)[2].partition(END)[0]
        return cls(
            metadata=CommentMetadata(key=key, head=found[2], run=int(found[3]), attempt=int(found[4])),
            headline=headline[1] if headline else "",
            earlier=tuple(EARLIER.findall(listed)),
        )

    def history(self, head: str) -> tuple[str, ...]:
        """Return a line for each verdict before the one on *head*, newest first, as many as a comment keeps."""
        own = (f"- `{self.metadata.head[:10]}`: {self.headline}",) if self.headline else ()
        others = [line for line in (*own, *self.earlier) if not line.startswith(f"- `{head[:10]}`")][:MAX_EARLIER]
        lengths = accumulate(map(size, others))
        return tuple(line for line, total in zip(others, lengths, strict=True) if total <= MAX_EARLIER_LENGTH)


def render_footer(metadata: CommentMetadata, earlier: Sequence[str]) -> str:
    """Return the end of a comment: the *earlier* verdicts, folded, and the hidden line."""
    if not earlier:
        return f"{metadata}\n"
    listed = "\n".join((BEGIN, *earlier, END))
    return f"<details><summary>Earlier verdicts: {len(earlier)}</summary>\n\n{listed}\n\n</details>\n\n{metadata}\n"


MAX_ATTEMPTS = 5
GONE = frozenset({404, 410})


CommentOutcome = Literal["created", "updated", "not needed", "unchanged: a later run wrote it"]
"""What happened to a comment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """The issue or pull request of a comment."""

    repo: RepositoryName
    """The repository."""
    number: int
    """The issue or pull request."""
    author: str
    """The login whose comments are Windtunnel's."""


def post(
    client: Client,
    discussion: Discussion,
    metadata: CommentMetadata,
    render: Callable[[PostedVerdict | None], str | None],
) -> tuple[CommentOutcome, str]:
    """Leave exactly one comment with the key of *metadata*; return what happened, and its address if there is one.

    *render* returns the text, given what the existing comment holds; None means that no comment is needed. GitHub has
    no lock for comments, so the comments are read again after each write and only the oldest is kept. A comment of a
    later run is not overwritten.
    """
    outcome: CommentOutcome = "not needed"
    for _ in range(MAX_ATTEMPTS):
        first = next(iter(_find_own(client, discussion, metadata.key)), None)
        if first is not None and first.metadata.order > metadata.order:
            return "unchanged: a later run wrote it", _address(first)
        body = render(first)
        if body is None:
            return "not needed", ""
        if first is None or first.comment is None:
            outcome = "created"
            with suppress(RemoteBusyError):  # the comment may exist all the same, which the next read shows
                client.send(create(_comments(discussion), Comment, {"body": body}))
        else:
            outcome = outcome if outcome == "created" else "updated"
            if first.comment.body.replace("\r\n", "\n").rstrip() != body.rstrip():
                _send_unless_gone(client, change(_comment(discussion, first.comment), Comment, {"body": body}))
        kept = _keep_oldest(client, discussion, metadata)
        if kept is not None and kept.metadata.order >= metadata.order:
            return outcome, _address(kept)
    raise RemoteBusyError(f"{discussion.repo}#{discussion.number}: the comment was edited concurrently; retry")


def _comments(discussion: Discussion) -> str:
    return discussion.repo.path("issues", discussion.number, "comments")


def _comment(discussion: Discussion, comment: Comment) -> str:
    return discussion.repo.path("issues", "comments", comment.id)


def _find_own(client: Client, discussion: Discussion, key: str) -> list[PostedVerdict]:
    """Return Windtunnel's comments, oldest first."""
    found: dict[int, PostedVerdict] = {}  # a list that changes while it is read may repeat entries
    for comment in client.entries(pages(_comments(discussion), "", Comment)):
        posted = PostedVerdict.read(comment.body, key)
        if posted and comment.user and comment.user.login.lower() == discussion.author.lower():
            found[comment.id] = replace(posted, comment=comment)
    return [found[number] for number in sorted(found)]


def _keep_oldest(client: Client, discussion: Discussion, metadata: CommentMetadata) -> PostedVerdict | None:
    """Delete all own comments but the oldest, and return that one."""
    found = _find_own(client, discussion, metadata.key)
    for other in found[1:]:
        if other.comment:
            _send_unless_gone(
                client, Request(method="DELETE", path=_comment(discussion, other.comment), reply=type(None))
            )
    return found[0] if found else None


def _address(posted: PostedVerdict) -> str:
    return posted.comment.html_url if posted.comment else ""


def _send_unless_gone(client: Client, request: Request[T]) -> None:
    """Send *request*; a comment that was deleted meanwhile is ignored."""
    try:
        client.send(request)
    except RefusedError as refused:
        if refused.status not in GONE:
            raise

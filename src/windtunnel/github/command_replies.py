"""The answers to comment commands: one comment for each command, which is updated until the command is done."""

from dataclasses import dataclass, replace
from typing import Self

from windtunnel.github.client import Client, RepositoryName
from windtunnel.github.comment_commands import USAGE
from windtunnel.github.comment_metadata import CommentMetadata, PostedVerdict
from windtunnel.github.single_comment import CommentOutcome, Discussion, get_author, post
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, cut

DONE, FAILED, REFUSED, ACCEPTED = "**Done:**", "**Failed:**", "**Refused:**", "**Accepted:**"
"""The beginnings of answers. A verdict begins with a heading instead."""

END = "\n\n<sub>"
"""Separates the text of an answer from the link to its command."""

REPLY = "reply-"
"""With this, the keys of answers begin."""

NO_RIGHT = (
    "only people with write access to this repository can use `/benchmark`. A maintainer can run it for you. "
    "This answer is given once; later commands get a reaction only."
)
NO_HEAD = "0" * 10
"""Stands for the commit in the hidden line of an answer that is about no commit."""

EXPLAINED = (
    "measures this pull request now: all cases, or those that match",
    "finds the commit that changed a benchmark",
    "acknowledges the regression of this pull request, or on its issue an alert",
    "acknowledges the alert with this id",
    "mutes the alert until a day such as 2027-01-31; on its issue, without the id",
    "accepts the change as intended; on its issue, without the id",
    "shows this list",
)
"""What each form of a command does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTarget:
    """The comment that holds a command."""

    number: int
    """The issue or pull request."""
    comment: int
    """The id of the comment."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``12/77``; raises ValueError."""
        number, _, comment = text.partition("/")
        if not (number.isdecimal() and comment.isdecimal() and len(text) < 40):
            raise ValueError("must be ISSUE/COMMENT, such as 12/77")
        return cls(number=int(number), comment=int(comment))

    def __str__(self) -> str:
        """Return ``12/77``."""
        return f"{self.number}/{self.comment}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReply:
    """An answer to a command."""

    target: ReplyTarget
    """The comment that holds the command."""
    key: str
    """Which answer it is."""
    text: str
    """Markdown."""
    head: str = NO_HEAD
    """The commit that it is about."""
    run: int = 0
    """The run that answers; 0 where the runs of several suites share one answer."""
    attempt: int = 1
    """The attempt of that run."""
    server: str = "https://github.com"
    """The address of the forge, for the link to the command."""

    @property
    def is_shared(self) -> bool:
        """Whether the runs of several suites write it."""
        return not self.run

    def body(self, repo: RepositoryName) -> str:
        """Return the whole comment."""
        link = f"{self.server.rstrip('/')}/{repo}/issues/{self.target.number}#issuecomment-{self.target.comment}"
        text = cut(self.text.strip(), MAX_COMMENT_LENGTH)
        metadata = CommentMetadata(key=self.key, head=self.head, run=self.run, attempt=self.attempt)
        return f"{text}{END}Answers [this comment]({link})</sub>\n\n{metadata}\n"


def reply_key(target: ReplyTarget | None, suite: str = "") -> str:
    """Return the key of the answer to the command at *target*; None stands for all people without write access."""
    if target is None:
        return f"{REPLY}no-right"
    return f"{REPLY}{target.comment}{f'-{suite}' if suite else ''}"


def is_reply(key: str) -> bool:
    """Return whether the comment with *key* answers a command; its verdict, if it has one, is not that of the suite."""
    return key.startswith(REPLY)


def send_reply(client: Client, repo: RepositoryName, reply: CommandReply, *, once: bool = False) -> CommentOutcome:
    """Create or update the answer, with *once* only create it.

    Suites may share an answer: what one did is added to what another did, and hides the refusal of a third.
    """

    def render(posted: PostedVerdict | None) -> str | None:
        if posted is not None and (once or (posted.body.startswith(DONE) and reply.text.startswith(REFUSED))):
            return None
        earlier = posted.body.partition(END)[0] if posted is not None and reply.is_shared else ""
        if earlier.startswith(DONE) and reply.text.startswith(DONE) and reply.text not in earlier:
            return replace(reply, text=f"{earlier}\n\n{reply.text}").body(repo)
        return reply.body(repo)

    metadata = CommentMetadata(key=reply.key, head=reply.head, run=reply.run, attempt=reply.attempt)
    discussion = Discussion(repo=repo, number=reply.target.number, author=get_author(client))
    return post(client, discussion, metadata, render)


def accepted(what: str, run_url: str) -> str:
    """Return the answer to a command that runs; *what* is Markdown."""
    return f"{ACCEPTED} {what}. The result replaces this text{run_link(run_url)}."


def refused(why: str) -> str:
    """Return the answer to a command that does not run; *why* is Markdown."""
    return f"{REFUSED} {why}"


def run_link(run_url: str) -> str:
    """Return a link to the run in parentheses, "" without one."""
    return f" ([run]({run_url}))" if run_url else ""


def usage() -> str:
    """Return all forms of a command as a Markdown table."""
    rows = "".join(f"| `{form}` | {text} |\n" for form, text in zip(USAGE, EXPLAINED, strict=True))
    return (
        f"| command | what it does |\n|---|---|\n{rows}\n"
        "`COMMIT`, the full hash that you reviewed, runs that head and no other. "
        "`--suite NAME` chooses one of several suites."
    )

"""What is known about a comment command, from the event alone, and what can become of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import Struct

from windtunnel.github.api_issues import Account
from windtunnel.github.client import RepositoryName
from windtunnel.github.command_replies import ReplyTarget
from windtunnel.github.comment_commands import CommentCommand

DEFAULT_SUITE = "default"
"""What ``--suite`` and hidden lines call the suite without a name."""


class IssueComment(Struct, frozen=True, kw_only=True):
    """The comment of the event."""

    id: int
    """The identifier."""
    body: str
    """The Markdown text."""
    user: Account
    """The author."""
    created_at: str
    """ISO 8601."""


class IssueLabel(Struct, frozen=True, kw_only=True):
    """A label of an issue."""

    name: str
    """The name."""


class CommentedIssue(Struct, frozen=True, kw_only=True):
    """The issue or pull request of the event."""

    number: int
    """The number."""
    pull_request: Mapping[str, object] | None = None
    """Present for a pull request."""
    body: str | None = None
    """The Markdown text."""
    user: Account | None = None
    """The author; None for deleted accounts."""
    labels: tuple[IssueLabel, ...] = ()
    """The labels."""


class IssueCommentEvent(Struct, frozen=True, kw_only=True):
    """The event ``issue_comment``: the fields in use."""

    comment: IssueComment
    """The comment."""
    issue: CommentedIssue
    """What was commented on."""


class CommandOutputs(Struct, frozen=True, kw_only=True):
    """The outputs of the workflow step: what to run and its arguments."""

    action: str = "none"
    """compare, bisect, respond, acknowledge or none."""
    pull: int = 0
    """The pull request."""
    head: str = ""
    """Its head commit."""
    target: str = ""
    """The branch that it would be merged to."""
    bench: str = ""
    """Argument of compare."""
    python: str = ""
    """Argument of compare."""
    benchmark: str = ""
    """Argument of bisect."""
    good: str = ""
    """Argument of bisect."""
    bad: str = ""
    """Argument of bisect."""
    response: str = ""
    """ack, mute or expect."""
    alert: str = ""
    """Argument of a response."""
    until: str = ""
    """Argument of mute."""
    why: str = ""
    """Argument of a response, and of acknowledge."""
    reply: str = ""
    """The comment to answer, as ``windtunnel ci reply`` takes it."""
    key: str = ""
    """The key of the comment that gets the verdict."""
    check: str = ""
    """The name of the check that gets the verdict."""


NO_OUTPUTS = CommandOutputs()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentedAlert:
    """The alert whose issue was commented on."""

    key: str
    """The suite."""
    id: str
    """The alert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRequest:
    """A command in a comment, and what is known about it without asking GitHub."""

    repo: RepositoryName
    """The repository."""
    event: IssueCommentEvent
    """The event."""
    command: CommentCommand
    """The command."""
    suite: str = ""
    """The suite that this workflow is for; empty for the only one."""
    alert: CommentedAlert | None = None
    """The alert, where the comment is on the issue of one."""
    run_url: str = ""
    """The page of this run."""

    @property
    def target(self) -> ReplyTarget:
        """The comment to answer."""
        return ReplyTarget(number=self.event.issue.number, comment=self.event.comment.id)

    @property
    def own_suite(self) -> str:
        """The name of this workflow's suite in hidden lines."""
        return self.suite or DEFAULT_SUITE


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDecision:
    """What happens to a command."""

    outputs: CommandOutputs = NO_OUTPUTS
    """What the workflow runs."""
    reaction: str = ""
    """The reaction to the comment; empty for none."""
    reply: str = ""
    """The answer, in Markdown; empty for none."""
    key: str = ""
    """The key of the answer."""
    once: bool = False
    """Whether the answer is left out where one with this key exists."""
    refusal: str = ""
    """Why nothing runs, for the log; empty if something does."""


IGNORED = CommandDecision()

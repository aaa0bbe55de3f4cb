"""Commands in comments on pull requests: parse ``/benchmark …``, and check that the author may run it.

Each value becomes one argument of a command, in the environment of a workflow step; none may hold a line break.
"""

import re
import shlex
from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from windtunnel.github.api_issues import Account, create_reaction, get_permission
from windtunnel.github.client import Client
from windtunnel.github.http import RepositoryName
from windtunnel.github.pull_requests import PullRequest, get_pull

WORD = "/benchmark"
MAX_COMMAND_LENGTH = 500
"""Characters."""
PYTHON = re.compile(r"[A-Za-z]*[0-9][0-9.]*t?")
REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./~^-]{0,99}")
ALERT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")

USAGE = "/benchmark [REGEX] [--python SPEC], /benchmark bisect BENCHMARK GOOD BAD, or /benchmark ack ID WHY"

ACCEPTED, REFUSED = "rocket", "confused"
"""Reactions; GitHub has eight."""


class CompareCommand(Struct, frozen=True, kw_only=True):
    """Measure the pull request now."""

    bench: str = ""
    """A regular expression; empty for all cases."""
    python: str = ""
    """A Python version; empty for the default."""


class BisectCommand(Struct, frozen=True, kw_only=True):
    """Find the commit that changed a benchmark."""

    benchmark: str
    """The name of the benchmark."""
    good: str
    """A revision before the change."""
    bad: str
    """A revision after the change."""


class AcknowledgeCommand(Struct, frozen=True, kw_only=True):
    """Acknowledge an alert."""

    alert: str
    """The alert's id."""
    why: str
    """The reason."""


class InvalidCommand(Struct, frozen=True, kw_only=True):
    """A comment that starts with ``/benchmark`` and is not a valid command."""

    why: str
    """What is wrong."""


Command = CompareCommand | BisectCommand | AcknowledgeCommand | InvalidCommand


def parse(body: str) -> Command | None:
    """Return the command in the first line of *body*, None where it does not start with ``/benchmark``."""
    first = body.lstrip("\ufeff").partition("\n")[0].strip()
    if first.split(maxsplit=1)[:1] != [WORD]:
        return None
    if len(first) > MAX_COMMAND_LENGTH or not first.isprintable():
        return InvalidCommand(
            why=f"the command has more than {MAX_COMMAND_LENGTH} characters or unprintable characters"
        )
    try:
        return _command(shlex.split(first)[1:])
    except ValueError as error:
        return InvalidCommand(why=f"{error}".lower())


def _command(words: list[str]) -> Command:
    match words:
        case ["bisect", benchmark, good, bad] if _is_range(good, bad) and not benchmark.startswith("-"):
            return BisectCommand(benchmark=benchmark, good=good, bad=bad)
        case ["ack", alert, *why] if why and ALERT_ID.fullmatch(alert):
            return AcknowledgeCommand(alert=alert, why=" ".join(why))
        case ["bisect" | "ack", *_]:
            return InvalidCommand(why=f"write {USAGE}")
        case _:
            return _compare(words)


def _is_range(good: str, bad: str) -> bool:
    return bool(REVISION.fullmatch(good) and REVISION.fullmatch(bad))


def _compare(words: list[str]) -> CompareCommand | InvalidCommand:
    bench, python = "", ""
    while words:
        match words:
            case ["--python", spec, *rest] if PYTHON.fullmatch(spec) and not python:
                python, words = spec, rest
            case [regex, *rest] if not regex.startswith("-") and not bench:
                bench, words = regex, rest
            case _:
                return InvalidCommand(why=f"{words[0]!r} is not valid; write {USAGE}")
    try:
        re.compile(bench)
    except re.error as error:
        return InvalidCommand(why=f"{bench!r} is not a regular expression: {error}")
    return CompareCommand(bench=bench, python=python)


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


class CommentedIssue(Struct, frozen=True, kw_only=True):
    """The issue or pull request of the event."""

    number: int
    """The number."""
    pull_request: Mapping[str, object] | None = None
    """Present for a pull request."""


class IssueCommentEvent(Struct, frozen=True, kw_only=True):
    """The event ``issue_comment``: the fields in use."""

    comment: IssueComment
    """The comment."""
    issue: CommentedIssue
    """What was commented on."""


class CommandOutputs(Struct, frozen=True, kw_only=True):
    """The outputs of the workflow step: the command to run and its arguments."""

    action: str = "none"
    """compare, bisect, ack or none."""
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
    alert: str = ""
    """Argument of ack."""
    why: str = ""
    """Argument of ack."""


def authorise(
    client: Client, repo: RepositoryName, event: IssueCommentEvent, command: Command
) -> CommandOutputs | InvalidCommand:
    """Return what the workflow runs for *command*, or why it runs nothing; a reaction to the comment shows which."""
    pull = client.send(get_pull(repo, event.issue.number))
    refusal = _refusal(client, repo, event, pull)
    outcome = InvalidCommand(why=refusal) if refusal else _outputs(command, pull)
    reaction = REFUSED if isinstance(outcome, InvalidCommand) else ACCEPTED
    client.send(create_reaction(repo, event.comment.id, reaction))
    return outcome


def _refusal(client: Client, repo: RepositoryName, event: IssueCommentEvent, pull: PullRequest) -> str:
    """Return why the author of the comment may not run a command, "" where they may."""
    login = event.comment.user.login
    if not client.send(get_permission(repo, login)).can_write:
        return f"{login} may not push to {repo}"
    if pull.state != "open":
        return f"#{pull.number} is not open"
    if _pushed_since(event.comment.created_at, pull):
        return "the branch was pushed to after the comment: review the new commits and comment again"
    return ""


def _pushed_since(commented: str, pull: PullRequest) -> bool:
    """Return whether someone without write access may have changed the head after the comment; unknown means yes."""
    head, base = pull.head.repo, pull.base.repo
    if head is None or (base is not None and head.full_name == base.full_name):
        return head is None
    try:
        return head.pushed_at is None or datetime.fromisoformat(head.pushed_at) > datetime.fromisoformat(commented)
    except (ValueError, TypeError):
        return True


def _outputs(command: Command, pull: PullRequest) -> CommandOutputs | InvalidCommand:
    number, head, target = pull.number, pull.head.sha, pull.base.ref
    match command:
        case CompareCommand(bench=bench, python=python):
            return CommandOutputs(action="compare", pull=number, head=head, target=target, bench=bench, python=python)
        case BisectCommand(benchmark=benchmark, good=good, bad=bad):
            return CommandOutputs(action="bisect", pull=number, head=head, benchmark=benchmark, good=good, bad=bad)
        case AcknowledgeCommand(alert=alert, why=why):
            return CommandOutputs(action="ack", pull=number, head=head, alert=alert, why=why)
        case InvalidCommand():
            return command

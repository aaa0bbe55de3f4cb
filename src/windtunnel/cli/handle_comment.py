"""``windtunnel handle-comment``: hears what a comment on a pull request asks for, and decides whether it may."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

from windtunnel import formats
from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.github import comment_commands
from windtunnel.github.api_issues import Account, create_reaction, get_permission
from windtunnel.github.client import Client, connect
from windtunnel.github.http import RepositoryName
from windtunnel.github.pull_requests import PullRequest, get_pull
from windtunnel.text.escaping import visible

HEARD, REFUSED = "rocket", "confused"
"""Reactions; GitHub has eight and no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The comment of the event; times are ISO 8601."""

    id: int
    body: str
    user: Account
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What was commented on; *pull_request* is only there for one."""

    number: int
    pull_request: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The event ``issue_comment``, as far as it matters."""

    comment: Said
    issue: Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the workflow does next: *action* is compare, bisect, ack or none; the rest is its arguments."""

    action: str = "none"
    pull: int = 0
    head: str = ""
    target: str = ""
    bench: str = ""
    python: str = ""
    benchmark: str = ""
    good: str = ""
    bad: str = ""
    alert: str = ""
    why: str = ""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Write what is to be done to the file $GITHUB_OUTPUT and to *out*; exit code 0 also when it may not be done."""
    parser = Parser(
        "handle-comment",
        out=out,
        description="Hear what a comment on a pull request asks for. Only people who may push are obeyed, for the\n"
        f"commit that is the head at this moment; a reaction shows it.\n\nThe comment says {comment_commands.USAGE}.",
        example="  windtunnel handle-comment      # in a workflow on issue_comment",
    )
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    path = env.get("GITHUB_EVENT_PATH")
    if not path:
        raise UsageError("there is no $GITHUB_EVENT_PATH; this command belongs in a workflow on issue_comment")
    try:
        event = formats.decode(Path(path).read_bytes(), Event, path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    heard = _hear(event, repo, Voice.of(options, err), env)
    lines = "".join(f"{name}={value}\n" for name, value in asdict(heard).items())
    if output := env.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(lines)
    out.writelines(f"{visible(line, 2 * comment_commands.LONGEST)}\n" for line in lines.splitlines())
    return ExitCode.FINE


def _hear(event: Event, repo: RepositoryName, voice: Voice, env: Mapping[str, str]) -> Heard:
    """Return what is to be done; whoever is not obeyed gets a reaction, unless the comment was not for us at all."""
    command = comment_commands.parse(event.comment.body)
    if command is None or event.issue.pull_request is None:
        return Heard()
    with connect(env) as client:
        request = client.send(get_pull(repo, event.issue.number))
        refusal = _refusal(client, repo, event, request)
        if isinstance(command, comment_commands.Misspelt) and not refusal:
            refusal = command.why
        client.send(create_reaction(repo, event.comment.id, REFUSED if refusal else HEARD))
    if refusal:
        voice.warn(f"not done: {visible(refusal, 300)}")
        return Heard()
    return _heard(command, request)


def _refusal(client: Client, repo: RepositoryName, event: Event, request: PullRequest) -> str:
    """Return why the commenter is not obeyed, nothing where they are."""
    login = event.comment.user.login
    if not (client.send(get_permission(repo, login))).can_write:
        return f"{login} may not push to {repo}"
    if request.state != "open":
        return f"#{request.number} is not open"
    if _pushed_since(event.comment.created_at, request):
        return "the branch was pushed to after the comment: look at what is there now and comment again"
    return ""


def _pushed_since(commented: str, request: PullRequest) -> bool:
    """Tell whether a stranger may have changed the head after it was looked at; unknown times count as yes."""
    head, base = request.head.repo, request.base.repo
    if head is None or (base is not None and head.full_name == base.full_name):
        return head is None
    try:
        return head.pushed_at is None or datetime.fromisoformat(head.pushed_at) > datetime.fromisoformat(commented)
    except (ValueError, TypeError):
        return True


def _heard(command: comment_commands.Command, request: PullRequest) -> Heard:
    number, head, target = request.number, request.head.sha, request.base.ref
    match command:
        case comment_commands.Compare():
            return Heard(
                action="compare", pull=number, head=head, target=target, bench=command.bench, python=command.python
            )
        case comment_commands.Bisect():
            return Heard(
                action="bisect",
                pull=number,
                head=head,
                benchmark=command.benchmark,
                good=command.good,
                bad=command.bad,
            )
        case comment_commands.Acknowledge():
            return Heard(action="ack", pull=number, head=head, alert=command.alert, why=command.why)
        case comment_commands.Misspelt():
            return Heard()

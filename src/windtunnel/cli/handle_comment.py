"""``windtunnel handle-comment``: parse and authorise a comment command on a pull request."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import asdict

from windtunnel import files, formats
from windtunnel.cli.console import Console
from windtunnel.cli.options import Command, CommonOptions
from windtunnel.errors import ExitCode, UsageError
from windtunnel.github import comment_commands
from windtunnel.github.client import connect
from windtunnel.github.comment_commands import CommandOutputs, InvalidCommand, IssueCommentEvent
from windtunnel.github.http import RepositoryName
from windtunnel.text.escaping import visible


class HandleCommentOptions(CommonOptions, frozen=True, kw_only=True):
    __doc__ = f"""Parse and authorise the command in a comment on a pull request.

    Only people with write access are authorised, and only for the commit that is the head when the command runs. A
    reaction to the comment shows the result.

    A comment is {comment_commands.USAGE}.
    """


def run(options: HandleCommentOptions, console: Console, env: Mapping[str, str]) -> int:  # noqa: ARG001 - Command.run
    """Write the action to the file $GITHUB_OUTPUT and to stdout; exit code 0 also when it is refused."""
    path = env.get("GITHUB_EVENT_PATH")
    if not path:
        raise UsageError("$GITHUB_EVENT_PATH is not set; run this command in a workflow on issue_comment")
    content = files.read_bytes(Path(path), "run this command in a workflow on issue_comment")
    event = formats.decode(content, IssueCommentEvent, path)
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    outputs = _handle(event, repo, console, env)
    lines = "".join(f"{name}={value}\n" for name, value in asdict(outputs).items())
    if output := env.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(lines)
    for line in lines.splitlines():
        console.print(f"{visible(line, 2 * comment_commands.MAX_COMMAND_LENGTH)}\n")
    return ExitCode.FINE


def _handle(event: IssueCommentEvent, repo: RepositoryName, console: Console, env: Mapping[str, str]) -> CommandOutputs:
    """Return what the workflow runs; nothing for a comment without a command."""
    command = comment_commands.parse(event.comment.body)
    if command is None or event.issue.pull_request is None:
        return CommandOutputs()
    with connect(env) as client:
        outcome = comment_commands.authorise(client, repo, event, command)
    if isinstance(outcome, InvalidCommand):
        console.warn(f"refused: {visible(outcome.why, 300)}")
        return CommandOutputs()
    return outcome


COMMANDS = (
    Command(
        name="handle-comment",
        options=HandleCommentOptions,
        run=run,
        example="  windtunnel handle-comment      # in a workflow on issue_comment",
    ),
)

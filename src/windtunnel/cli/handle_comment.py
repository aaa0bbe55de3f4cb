"""``windtunnel handle-comment``: parse and authorise a command in a comment on a pull request."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from msgspec.structs import asdict

from windtunnel import formats
from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.github import comment_commands
from windtunnel.github.client import connect
from windtunnel.github.comment_commands import CommandOutputs, InvalidCommand, IssueCommentEvent
from windtunnel.github.http import RepositoryName
from windtunnel.text.escaping import visible


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
        event = formats.decode(Path(path).read_bytes(), IssueCommentEvent, path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    outputs = _handle(event, repo, Voice.of(options, err), env)
    lines = "".join(f"{name}={value}\n" for name, value in asdict(outputs).items())
    if output := env.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(lines)
    out.writelines(f"{visible(line, 2 * comment_commands.MAX_COMMAND_LENGTH)}\n" for line in lines.splitlines())
    return ExitCode.FINE


def _handle(event: IssueCommentEvent, repo: RepositoryName, voice: Voice, env: Mapping[str, str]) -> CommandOutputs:
    """Return what the workflow runs; nothing for a comment without a command."""
    command = comment_commands.parse(event.comment.body)
    if command is None or event.issue.pull_request is None:
        return CommandOutputs()
    with connect(env) as client:
        outcome = comment_commands.authorise(client, repo, event, command)
    if isinstance(outcome, InvalidCommand):
        voice.warn(f"not done: {visible(outcome.why, 300)}")
        return CommandOutputs()
    return outcome

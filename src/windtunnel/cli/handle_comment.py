"""``windtunnel ci handle-comment``: parse, authorise and answer a comment command."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from msgspec.structs import asdict

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions
from windtunnel.cli.workflow_run import own_run, read_event, write_github_output
from windtunnel.compare.comment_markdown import CHECK_RUNNING
from windtunnel.detect.issue_changes import read_marker
from windtunnel.errors import ExitCode, RemoteError
from windtunnel.github import comment_commands, single_comment
from windtunnel.github.alert_issues import LABEL
from windtunnel.github.api_issues import create_reaction
from windtunnel.github.client import Client, RepositoryName, connect
from windtunnel.github.command_authorisation import authorise
from windtunnel.github.command_replies import NO_HEAD, CommandReply, send_reply
from windtunnel.github.command_request import (
    CommandDecision,
    CommandOutputs,
    CommandRequest,
    CommentedAlert,
    IssueCommentEvent,
)
from windtunnel.github.comment_metadata import CommentMetadata
from windtunnel.github.publish_verdict import VerdictCheck
from windtunnel.text.escaping import visible


class HandleCommentOptions(CommonOptions, frozen=True, kw_only=True):
    __doc__ = f"""Parse, authorise and answer the command in a comment on a pull request or on the issue of an alert.

    Only people with write access are authorised. Code runs only for the commit that is the head when the command runs,
    or that the command names. A reaction shows at once whether the command runs; an answer says what, or why not.

    A comment is {", ".join(comment_commands.USAGE)}. docs/how-to/commands.md explains each.

    example:
      windtunnel ci handle-comment      # in a workflow on issue_comment
    """

    suite: Annotated[str, Arg(metavar="NAME")] = ""
    """The suite that this workflow measures, one of several."""


def run(options: HandleCommentOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the action to the file $GITHUB_OUTPUT and to stdout; exit code 0 also when it is refused."""
    event = read_event(env, IssueCommentEvent, "issue_comment")
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    found = asdict(_handle(event, repo, options, console, env))
    outputs = {name: f"{value}" for name, value in found.items()}
    if env.get("GITHUB_OUTPUT"):
        write_github_output(env, outputs)
    for name, value in outputs.items():
        console.print(f"{visible(f'{name}={value}', 2 * comment_commands.MAX_COMMAND_LENGTH)}\n")
    return ExitCode.FINE


def _handle(
    event: IssueCommentEvent,
    repo: RepositoryName,
    options: HandleCommentOptions,
    console: Console,
    env: Mapping[str, str],
) -> CommandOutputs:
    """Return what the workflow runs; nothing for a comment without a command."""
    command = comment_commands.parse(event.comment.body)
    is_pull, has_label = event.issue.pull_request is not None, LABEL in {one.name for one in event.issue.labels}
    if command is None or not (is_pull or has_label):
        return CommandOutputs()
    with connect(env) as client:
        request = CommandRequest(
            repo=repo,
            event=event,
            command=command,
            suite=options.suite,
            alert=_find_alert(client, event),
            run_url=own_run(env).url,
        )
        decision = authorise(client, request)
        _answer(client, request, decision, env)
        _start_check(client, request, decision, console, env)
    if decision.refusal:
        console.warn(f"refused: {visible(decision.refusal, 300)}")
    return decision.outputs


def _find_alert(client: Client, event: IssueCommentEvent) -> CommentedAlert | None:
    """Return the alert whose issue was commented on; anyone can write a hidden line, so only own issues count."""
    issue = event.issue
    found = read_marker(issue.body or "") if issue.pull_request is None else None
    if found is None or issue.user is None or issue.user.login.lower() != single_comment.get_author(client).lower():
        return None
    return CommentedAlert(key=found.key, id=found.alert)


def _answer(client: Client, request: CommandRequest, decision: CommandDecision, env: Mapping[str, str]) -> None:
    """React at once, then answer."""
    if decision.reaction:
        client.send(create_reaction(request.repo, request.event.comment.id, decision.reaction))
    if decision.reply:
        send_reply(client, request.repo, _reply(request, decision, env), once=decision.once)


def _start_check(
    client: Client, request: CommandRequest, decision: CommandDecision, console: Console, env: Mapping[str, str]
) -> None:
    """Show beside the commit that it is measured, so that no earlier result counts meanwhile."""
    own, outputs = own_run(env), decision.outputs
    if outputs.action != "compare" or not own.id:
        return
    metadata = CommentMetadata(key=outputs.key, head=outputs.head, run=own.id, attempt=own.attempt)
    check = VerdictCheck(repo=request.repo, metadata=metadata, name=outputs.check, run_url=own.url)
    try:
        check.start(client, CHECK_RUNNING)
    except RemoteError as error:
        console.warn(f"the check {outputs.check} does not show that it is measured: {error}")


def _reply(request: CommandRequest, decision: CommandDecision, env: Mapping[str, str]) -> CommandReply:
    """Return the answer; one that no other suite writes replaces that of an earlier attempt."""
    own, head = own_run(env), decision.outputs.head
    shared = CommandReply(
        target=request.target,
        key=decision.key,
        text=decision.reply,
        head=head or NO_HEAD,
        server=own.server,
    )
    return replace(shared, run=own.id, attempt=own.attempt) if head or not request.suite else shared

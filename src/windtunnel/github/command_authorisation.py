"""Decides what a comment command starts: whether its author may run it, on which commit, and with which values."""

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from windtunnel.errors import RefusedError
from windtunnel.github.api_issues import get_permission
from windtunnel.github.api_runs import list_workflows
from windtunnel.github.client import Client, RepositoryName
from windtunnel.github.command_replies import NO_RIGHT, accepted, refused, reply_key, usage
from windtunnel.github.command_request import DEFAULT_SUITE, IGNORED, CommandDecision, CommandOutputs, CommandRequest
from windtunnel.github.comment_commands import (
    WORD,
    BisectCommand,
    CompareCommand,
    HelpCommand,
    InvalidCommand,
    RespondCommand,
)
from windtunnel.github.pull_requests import PullRequest, get_pull
from windtunnel.github.workflow_files import FOLDER
from windtunnel.text.escaping import code

ACCEPTED, REFUSED = "rocket", "confused"
"""Reactions; GitHub has eight."""
NOT_FOUND = 404
CHECK = "windtunnel"
"""The check of a whole comparison."""


def authorise(client: Client, request: CommandRequest) -> CommandDecision:
    """Return what happens to a command; reads GitHub and writes nothing.

    The workflows of several suites all see each comment. Either one of them answers, or all of them the same.
    """
    if _is_for_another_alert(request):
        return IGNORED
    named = request.command.suite
    if named and named != request.own_suite and named in (suites := _suites(client, request.repo)):
        return IGNORED
    login = request.event.comment.user.login
    if not _may_push(client, request.repo, login):
        return CommandDecision(
            reaction=REFUSED,
            reply=refused(NO_RIGHT),
            key=reply_key(None),
            once=True,
            refusal=f"{login} may not push to {request.repo}",
        )
    if named and named != request.own_suite:
        listed = ", ".join(code(one) for one in suites) or "none that `windtunnel init` wrote"
        return _refuse(request, f"no suite is called {code(named)}; the suites are: {listed}")
    return _decide(client, request)


def _may_push(client: Client, repo: RepositoryName, login: str) -> bool:
    """Return whether *login* may push; GitHub knows no permission of most bots and of deleted accounts."""
    try:
        return client.send(get_permission(repo, login)).can_write
    except RefusedError as refused:
        if refused.status != NOT_FOUND:
            raise
        return False


def _is_for_another_alert(request: CommandRequest) -> bool:
    return request.alert is not None and request.alert.key != request.own_suite


def _suites(client: Client, repo: RepositoryName) -> tuple[str, ...]:
    """Return the names of the suites whose comment commands are enabled, by the workflow files of windtunnel init."""
    start, end = f"{FOLDER}/windtunnel", "-command.yml"
    paths = (one.path for one in client.entries(list_workflows(repo)) if one.state == "active")
    own = (path for path in paths if path.startswith(start) and path.endswith(end))
    names = (path.removeprefix(start).removesuffix(end).removeprefix("-") for path in own)
    return tuple(sorted(name or DEFAULT_SUITE for name in names))


def _decide(client: Client, request: CommandRequest) -> CommandDecision:
    """Return what happens to a command whose author may push."""
    command, on_pull = request.command, request.event.issue.pull_request is not None
    match command:
        case InvalidCommand(why=why):
            return _refuse(request, f"{why}\n\n{usage()}", log=why)
        case HelpCommand():
            return CommandDecision(reaction=ACCEPTED, reply=usage(), key=reply_key(request.target))
        case RespondCommand() if on_pull or request.alert:
            return _respond(client, request, command)
        case CompareCommand() | BisectCommand() if on_pull:
            return _measure(client, request, command)
        case _ if request.alert:
            return _refuse(request, "on the issue of an alert, only `ack`, `mute`, `expect` and `help` work")
        case _:
            return _refuse(request, "commands work on pull requests and on the issues of alerts, and this is neither")


def _refuse(request: CommandRequest, why: str, log: str = "") -> CommandDecision:
    return CommandDecision(
        reaction=REFUSED, reply=refused(why), key=reply_key(request.target), refusal=log or why.replace("`", "")
    )


def _respond(client: Client, request: CommandRequest, command: RespondCommand) -> CommandDecision:
    number = request.event.issue.number
    outputs = CommandOutputs(
        action="respond",
        response=command.response,
        alert=command.alert or (request.alert.id if request.alert else ""),
        until=command.until,
        why=command.why,
        reply=f"{request.target}",
    )
    if outputs.alert:
        return CommandDecision(outputs=outputs, reaction=ACCEPTED)
    if command.response != "ack":
        form = f"`{WORD} {command.response} ID …`"
        return _refuse(request, f"on a pull request, name the alert: {form}; its issue shows the id")
    pull = client.send(get_pull(request.repo, number))
    if pull.state != "open":
        return _refuse(request, f"#{number} is not open")
    outputs = replace(outputs, action="acknowledge", pull=number, key=request.own_suite, check=_check(request.suite))
    return CommandDecision(outputs=outputs, reaction=ACCEPTED)


def _refusal(command: CompareCommand | BisectCommand, commented: str, pull: PullRequest) -> str:
    """Return why the head may not run, "" where it may."""
    head, commit = pull.head.sha, command.commit
    if pull.state != "open":
        return f"#{pull.number} is not open"
    review = f"Review {code(head)}; then {code(f'{WORD} {head}')} runs that commit and no other"
    if commit and not head.startswith(commit):
        return f"the head of the pull request is another commit than {code(commit)}. {review}"
    if commit != head and _pushed_since(commented, pull):
        return (
            "the fork was pushed to after this comment or in the same second, so its head may not be the commit that "
            f"you reviewed. {review}"
        )
    return ""


def _pushed_since(commented: str, pull: PullRequest) -> bool:
    """Return whether someone without write access may have changed the head since the comment; unknown means yes.

    GitHub states both times in whole seconds, so the same second counts.
    """
    head, base = pull.head.repo, pull.base.repo
    if head is None or (base is not None and head.full_name == base.full_name):
        return head is None
    try:
        return head.pushed_at is None or datetime.fromisoformat(head.pushed_at) >= datetime.fromisoformat(commented)
    except (ValueError, TypeError):
        return True


def _measure(client: Client, request: CommandRequest, command: CompareCommand | BisectCommand) -> CommandDecision:
    pull = client.send(get_pull(request.repo, request.event.issue.number))
    if refusal := _refusal(command, request.event.comment.created_at, pull):
        return _refuse(request, refusal)
    key = reply_key(request.target, request.suite)
    outputs = CommandOutputs(pull=pull.number, head=pull.head.sha, target=pull.base.ref, reply=f"{request.target}")
    match command:
        case CompareCommand(bench=bench, python=python):
            outputs = replace(
                outputs,
                action="compare",
                bench=bench,
                python=python,
                key=request.own_suite if command.is_whole else key,
                check=_check(request.suite, whole=command.is_whole),
            )
        case BisectCommand(benchmark=benchmark, good=good, bad=bad):
            outputs = replace(outputs, action="bisect", benchmark=benchmark, good=good, bad=bad)
    reply = accepted(" ".join(_describe(command, request, pull)), request.run_url)
    return CommandDecision(outputs=outputs, reaction=ACCEPTED, reply=reply, key=key)


def _check(suite: str, *, whole: bool = True) -> str:
    """Return the name of the check; that of a part differs, so a part never satisfies a rule on the whole."""
    name = f"{CHECK}-{suite}" if suite else CHECK
    return name if whole else f"{name} (asked)"


def _describe(command: CompareCommand | BisectCommand, request: CommandRequest, pull: PullRequest) -> Iterator[str]:
    """Yield the parts of the sentence that says what runs."""
    if isinstance(command, BisectCommand):
        yield f"searching the commit between {code(command.good)} and {code(command.bad)} that changed"
        yield code(command.benchmark)
    else:
        yield f"measuring {code(pull.head.sha[:10])} against its base"
        yield from (f"({text})" for text in [_limits(command)] if text)
    if request.suite:
        yield f"with the suite {code(request.suite)}"


def _limits(command: CompareCommand) -> str:
    parts = [f"cases that match {code(command.bench)}"] if command.bench else []
    return ", ".join([*parts, *([f"Python {code(command.python)}"] if command.python else [])])

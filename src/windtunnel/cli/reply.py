"""``windtunnel ci reply``, and how other commands answer the comment that started them."""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, Name
from windtunnel.cli.workflow_run import OwnRun, own_run
from windtunnel.compare.bisect_format import BISECT_FORMAT, Bisection, BisectionAnswer
from windtunnel.compare.bisect_report import render_bisection
from windtunnel.errors import DataError, ExitCode, UsageError, WindtunnelError
from windtunnel.github.api_runs import get_run
from windtunnel.github.artifacts import read_artifact_file
from windtunnel.github.client import Client, RepositoryName, connect
from windtunnel.github.command_replies import (
    DONE,
    FAILED,
    NO_HEAD,
    REFUSED,
    CommandReply,
    ReplyTarget,
    reply_key,
    run_link,
    send_reply,
)
from windtunnel.github.single_comment import Discussion, find_own, get_author
from windtunnel.text.escaping import plain, preformatted

MAX_PROBLEM = 2000
"""Characters of an error in an answer."""

BISECT_ARTIFACT = "windtunnel-bisect"
ENDED = {
    "failure": "the run failed; its log says why",
    "cancelled": "the run was cancelled",
    "skipped": "the run stopped before that; its log says why",
}
"""What became of a job that left no result, by GitHub's word for how it ended."""


class ReplyOptions(CommonOptions, frozen=True, kw_only=True):
    """Write the result of a comment command into the answer that windtunnel ci handle-comment gave.

    The result is the verdict that windtunnel ci comment published, or the bisect.json in an artifact of this run. The
    token is read from $GITHUB_TOKEN, the repository from $GITHUB_REPOSITORY, the run from $GITHUB_RUN_ID.

    example:
      windtunnel ci reply 12/77 --result "$RESULT" --head "$HEAD"      # in a workflow on issue_comment
      windtunnel ci reply 12/77 --action bisect --result success
    """

    to: Annotated[ReplyTarget, Arg(metavar="ISSUE/COMMENT", positional=True, parse=ReplyTarget.parse)]
    """The comment with the command, as windtunnel ci handle-comment prints it."""
    action: Literal["compare", "bisect"] = "compare"
    """What the command asked for."""
    result: str = ""
    """How the job ended, as GitHub states it: success, failure, cancelled or skipped."""
    head: str = NO_HEAD
    """The commit that was measured."""
    key: Name = "default"
    """The key of the comment that got the verdict."""
    suite: Annotated[str, Arg(metavar="NAME")] = ""
    """The suite that this workflow measures, one of several."""


def run(options: ReplyOptions, console: Console, env: Mapping[str, str]) -> int:
    """Update the answer; exit code 0 also where the command failed, because the job that failed shows that."""
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    own = own_run(env)
    if not own.id:
        raise UsageError("$GITHUB_RUN_ID is not set; run this command in a workflow on issue_comment")
    with connect(env) as client:
        find = _bisection if options.action == "bisect" else _verdict
        text = find(client, repo, options, own)
        if text is None:
            console.print("the verdict is the answer\n")
            return ExitCode.FINE
        reply = CommandReply(
            target=options.to,
            key=reply_key(options.to, options.suite),
            text=text,
            head=options.head,
            run=own.id,
            attempt=own.attempt,
            server=own.server,
        )
        console.print(f"answer on #{options.to.number}: {send_reply(client, repo, reply)}\n")
    return ExitCode.FINE


def _verdict(client: Client, repo: RepositoryName, options: ReplyOptions, own: OwnRun) -> str | None:
    """Return the answer on a comparison; None where its verdict already replaced the answer."""
    discussion = Discussion(repo=repo, number=options.to.number, author=get_author(client))
    posted = next(iter(find_own(client, discussion, options.key)), None)
    written = posted is not None and posted.posted.metadata.run == own.id and bool(posted.posted.headline)
    if posted is not None and written:
        if options.key == reply_key(options.to, options.suite):
            return None
        page = f" See [the verdict]({posted.comment.html_url})." if posted.comment.html_url else ""
        return f"{DONE} {posted.posted.headline}.{page}"
    if posted is not None and posted.posted.metadata.run > own.id:
        return f"{DONE} a later run has replaced its verdict{run_link(own.url)}."
    if options.result == "success":
        return f"{DONE} the head has changed meanwhile, so no comment has the verdict{run_link(own.url)}."
    return f"{FAILED} {_ended(options.result)}{run_link(own.url)}."


def _bisection(client: Client, repo: RepositoryName, options: ReplyOptions, own: OwnRun) -> str:
    """Return the answer on a bisection; the artifact comes from code of the pull request and is not trusted."""
    try:
        this = client.send(get_run(repo, own.id))
        content = read_artifact_file(client, repo, this, BISECT_ARTIFACT, BISECT_FORMAT.name)
        found = None if content is None else BISECT_FORMAT.decode(content, f"the artifact {BISECT_ARTIFACT}")
    except DataError as error:
        return f"{FAILED} the result cannot be read: {plain(str(error), 300)}{run_link(own.url)}."
    if found is None:
        return f"{FAILED} {_ended(options.result)}{run_link(own.url)}."
    if found.answer is BisectionAnswer.FAILED:
        return f"{FAILED} {plain(found.reason, 500)}{run_link(own.url)}"
    return f"{DONE} the search ended{run_link(own.url)}.\n\n{preformatted(_shown(found))}"


def _shown(found: Bisection) -> str:
    return "\n".join(line for line in render_bisection(found).splitlines() if line.strip())


def _ended(result: str) -> str:
    return ENDED.get(result, ENDED["failure"])


def run_and_answer(target: ReplyTarget | None, act: Callable[[], str], console: Console, env: Mapping[str, str]) -> int:
    """Answer the command at *target* with what *act* returns, in Markdown, or with why it was refused or failed.

    All suites share the answer. A refusal (UsageError) is then a warning. Without a target, errors are raised.
    """
    try:
        text = f"{DONE} {act()}"
    except WindtunnelError as error:
        if target is None:
            raise
        refused = isinstance(error, UsageError)
        _answer(target, f"{REFUSED if refused else FAILED} {plain(str(error), MAX_PROBLEM)}", env)
        if not refused:
            raise
        console.warn(f"refused: {error}")
        return ExitCode.FINE
    if target is not None:
        _answer(target, text, env)
    return ExitCode.FINE


def _answer(target: ReplyTarget, text: str, env: Mapping[str, str]) -> None:
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    reply = CommandReply(target=target, key=reply_key(target), text=text, server=own_run(env).server)
    with connect(env) as client:
        send_reply(client, repo, reply)

"""``windtunnel ci acknowledge-verdict``: acknowledges the regressions of a pull request."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from windtunnel.cli.comment import Commenter, CommentOptions
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, Name, parse_url
from windtunnel.cli.reply import run_and_answer
from windtunnel.errors import DataError, RefusedError, UsageError
from windtunnel.github import publish_verdict
from windtunnel.github.acknowledgements import Acknowledgement, acknowledge
from windtunnel.github.api_runs import WorkflowRun, get_run
from windtunnel.github.client import Client, RepositoryName, connect
from windtunnel.github.command_replies import ReplyTarget
from windtunnel.github.comment_metadata import CommentMetadata
from windtunnel.github.pull_requests import is_head
from windtunnel.github.single_comment import Discussion, find_own, get_author
from windtunnel.text import numbers
from windtunnel.text.escaping import code, plain, visible

MEASURE_AGAIN = "measure again with /benchmark, then acknowledge the new verdict"
GONE = 404


class AcknowledgeVerdictOptions(CommonOptions, frozen=True, kw_only=True):
    """Acknowledge the regressions that the comment with the verdict on a pull request shows.

    The check turns neutral, and the comment keeps the name and the reason. Later verdicts stay neutral as long as all
    regressions are among the acknowledged ones and not clearly larger. The token is read from $GITHUB_TOKEN, the
    repository from $GITHUB_REPOSITORY.

    example:
      windtunnel ci acknowledge-verdict 12 --who maintainer --why 'the price of checksums'
    """

    pull: Annotated[int, Meta(ge=1, lt=10**9), Arg(positional=True)]
    """The pull request."""
    why: Annotated[str, Arg(metavar="TEXT")]
    """The reason, which the comment shows."""
    who: Name
    """The person who acknowledges."""
    key: Name = "default"
    """Distinguishes the comments of several suites."""
    check: Name = "windtunnel"
    """The name of the check."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_url)] = ""
    """The address of the history site, for a link."""
    reply: Annotated[ReplyTarget, Arg(metavar="ISSUE/COMMENT", parse=ReplyTarget.parse)] | None = None
    """Answer this comment on GitHub, which asked for it; a refusal is then no error."""


def run(options: AcknowledgeVerdictOptions, console: Console, env: Mapping[str, str]) -> int:
    """Update the check and the comment, then answer."""
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))

    def act() -> str:
        with connect(env) as client:
            return _render(options, _acknowledge(options, client, repo, console, env))

    return run_and_answer(options.reply, act, console, env)


def _render(options: AcknowledgeVerdictOptions, done: Acknowledgement) -> str:
    suite = "" if options.key == "default" else f" of the suite {code(options.key)}"
    by = f"by {plain(done.author, 60)}: {plain(done.reason, 500)}"
    return (
        f"{numbers.count(len(done.cases), 'regression')}{suite} acknowledged {by}. A new or a clearly larger one fails "
        f"{code(options.check)} again."
    )


def _acknowledge(
    options: AcknowledgeVerdictOptions, client: Client, repo: RepositoryName, console: Console, env: Mapping[str, str]
) -> Acknowledgement:
    """Return what was acknowledged; raises UsageError where there is nothing that can be."""
    who, why = visible(options.who.strip(), 60), visible(options.why.strip(), 500)
    if not (who and why):
        raise UsageError("--who and --why must not be empty; readers of the comment need them")
    posted = _find_posted(options, client, repo)
    if not is_head(client, repo, options.pull, posted.head):
        raise UsageError(f"the verdict is on {posted.head[:10]}, but the head has moved; wait for the next verdict")
    measured = _find_run(client, repo, posted.run)
    try:
        verdict = publish_verdict.fetch_verdict(client, repo, measured)
    except DataError as error:
        raise UsageError(f"{error}; {MEASURE_AGAIN}") from None
    if verdict is None:
        raise UsageError(f"the run no longer has its verdict; {MEASURE_AGAIN}")
    done = acknowledge(verdict, who, why)
    comment = CommentOptions(
        run=posted.run,
        head=posted.head,
        pull=options.pull,
        key=options.key,
        check=options.check,
        site=options.site,
        commands=True,
    )
    Commenter(options=comment, repo=repo, client=client, console=console, env=env, acknowledgement=done).report()
    return done


def _find_posted(options: AcknowledgeVerdictOptions, client: Client, repo: RepositoryName) -> CommentMetadata:
    discussion = Discussion(repo=repo, number=options.pull, author=get_author(client))
    found = next(iter(find_own(client, discussion, options.key)), None)
    if found is None or not found.posted.metadata.run:
        raise UsageError("no comment here has a verdict of this suite; /benchmark measures the pull request")
    return found.posted.metadata


def _find_run(client: Client, repo: RepositoryName, run: int) -> WorkflowRun:
    try:
        return client.send(get_run(repo, run))
    except RefusedError as refused:
        if refused.status != GONE:
            raise
        raise UsageError(f"the run of the verdict was deleted; {MEASURE_AGAIN}") from None

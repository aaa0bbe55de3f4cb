"""``windtunnel ci comment``: publishes a verdict on GitHub, as a comment and a check."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta, structs

from windtunnel import files
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, Name, PositiveInt, parse_url
from windtunnel.cli.workflow_run import own_run
from windtunnel.compare.comment_markdown import (
    CHECK_MERGE_QUEUE,
    CHECK_RUNNING,
    CHECK_WAITING,
    CommentContext,
    check_summary,
    check_summary_without_verdict,
    check_title,
    check_title_without_verdict,
    needs_comment,
    render_comment,
)
from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport
from windtunnel.compare.summary import ReaderOptions
from windtunnel.errors import ExitCode, UsageError, WindtunnelError
from windtunnel.github import publish_verdict, single_comment
from windtunnel.github.acknowledgements import Acknowledgement, find_unacknowledged, render_acknowledgements
from windtunnel.github.api_runs import BROKEN, WorkflowRun, get_run
from windtunnel.github.check import CheckOutput, Conclusion
from windtunnel.github.client import Client, RepositoryName, connect
from windtunnel.github.command_replies import is_reply
from windtunnel.github.comment_metadata import CommentMetadata, PostedVerdict, render_footer
from windtunnel.github.publish_verdict import VerdictCheck, render_timings
from windtunnel.github.pull_requests import find_pulls_with_head, is_head

MERGE_QUEUE = "merge_group"
"""The event of a run for the merge queue, in which each required check must be concluded again."""

ACKNOWLEDGEMENTS_TIMEOUT = 60.0
"""Seconds for a request about earlier acknowledgements, with all its pauses; the job must still conclude the check."""


def parse_sha(text: str) -> str:
    """Return the commit hash *text*; raises ValueError."""
    if text and not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text):
        raise ValueError("must be a full commit hash")
    return text


class CommentOptions(CommonOptions, frozen=True, kw_only=True):
    """Publish a verdict on GitHub: one comment on the pull request, which is updated, and a check on the commit.

    With --run, the verdict is read from the artifact of that run, and the pull request is found by its commit. While
    the run is in progress, the check shows that. With --head as well, the run may be the current one, and the commit is
    the one that the workflow names. With FILE and --head, a local verdict is published. No comment is created when
    nothing changed. The token is read from $GITHUB_TOKEN, the repository from $GITHUB_REPOSITORY.

    example:
      windtunnel ci comment --run "$RUN_ID"                     # in a workflow on workflow_run
      windtunnel ci comment verdict.json --head "$SHA" --pull 12
      windtunnel ci comment verdict.json --head "$SHA" --dry-run
    """

    file: Annotated[Path, Arg(positional=True)] | None = None
    """A verdict that windtunnel compare wrote."""
    run: Annotated[int, Meta(ge=1, lt=10**15), Arg(metavar="ID")] | None = None
    """The workflow run that measured."""
    head: Annotated[str, Arg(metavar="SHA", parse=parse_sha)] = ""
    """The commit that the verdict is about (default with --run: the commit of the run)."""
    pull: PositiveInt | None = None
    """Comment only on this pull request, if SHA is still its head."""
    key: Name = "default"
    """Distinguishes the comments of several suites."""
    check: Name = "windtunnel"
    """The name of the check."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_url)] = ""
    """The address of the history site, for a link."""
    author: Annotated[str, Arg(metavar="LOGIN")] = ""
    """The account that comments (default: the owner of the token)."""
    result: str = ""
    """How the jobs that measured ended, as GitHub states it (default: how the run ended)."""
    asked: bool = False
    """Comment even when nothing changed, because a person asked for the comparison."""
    commands: bool = False
    """Name comment commands such as /benchmark in what to do; the repository must accept them."""
    no_gate: bool = False
    """Do not fail the check if a benchmark regressed or newly fails."""
    dry_run: bool = False
    """Print the comment on FILE without contacting GitHub."""

    def __post_init__(self) -> None:
        """Refuse options that do not name one verdict and its commit; raises UsageError."""
        super().__post_init__()
        if bool(self.run) == bool(self.file):
            raise UsageError("name one verdict: either FILE with --head, or --run ID")
        if self.file and not self.head:
            raise UsageError("FILE needs --head, because the commit in the file is not trusted")
        if self.dry_run and not self.file:
            raise UsageError("--dry-run needs FILE")


def run(options: CommentOptions, console: Console, env: Mapping[str, str]) -> int:
    """Publish; exit code 0 for every verdict, because the check gates."""
    if options.dry_run and options.file:
        reader = ReaderOptions(commands=options.commands)
        context = CommentContext(head=options.head, site_url=options.site, reader=reader)
        footer = render_footer(_metadata(options, env), ())
        console.print(render_comment(files.read(options.file, VERDICT_FORMAT), context, footer))
        return ExitCode.FINE
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    with connect(env) as client:
        return Commenter(options=options, repo=repo, client=client, console=console, env=env).report()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commenter:
    """Reports one verdict on GitHub and prints what it did to *out*."""

    options: CommentOptions
    repo: RepositoryName
    client: Client
    console: Console
    env: Mapping[str, str]
    acknowledgement: Acknowledgement | None = None
    """What a person just acknowledged."""
    pulls: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The pull requests that were found for a commit."""

    def report(self) -> int:
        """Report the verdict that the options name."""
        if self.options.run:
            run = self.client.send(get_run(self.repo, self.options.run))
            return self._report_run(structs.replace(run, conclusion=self._ended(run)))
        assert self.options.file
        metadata, run_url = _metadata(self.options, self.env), own_run(self.env).url
        verdict = files.read(self.options.file, VERDICT_FORMAT)
        given = self._acknowledgements(metadata, verdict)
        self._conclude(self._check(metadata, run_url), verdict, given, complete=True)
        context = CommentContext(
            head=metadata.head, run_url=run_url, site_url=self.options.site, reader=self._reader(0)
        )
        return self._comment(metadata, context, verdict)

    def _ended(self, run: WorkflowRun) -> str | None:
        """Return how measuring ended; where a person asked for it, jobs that were skipped were cancelled before."""
        skipped = self.options.asked and self.options.result == "skipped"
        return "cancelled" if skipped else self.options.result or run.conclusion

    def _report_run(self, run: WorkflowRun) -> int:
        """Report that *run* waits or is in progress, its verdict, or that it left none."""
        head = self.options.head or run.head_sha
        metadata = CommentMetadata(key=self.options.key, head=head, run=run.id, attempt=run.run_attempt)
        check = self._check(metadata, run.html_url)
        if run.event == MERGE_QUEUE:
            output = CheckOutput(title=CHECK_MERGE_QUEUE, summary=CHECK_MERGE_QUEUE)
            check.conclude(self.client, output, Conclusion.NEUTRAL)
            self._print("check", "not measured again")
            return ExitCode.FINE
        if run.awaits_approval and not self.options.head:
            check.wait(self.client, CHECK_WAITING)
            self._print("check", "waits for approval")
            return ExitCode.FINE
        if run.status != "completed" and not self.options.head:
            check.start(self.client, CHECK_RUNNING)
            self._print("check", "in progress")
            return ExitCode.FINE
        source = "" if self.options.head else run.source
        try:
            verdict = publish_verdict.fetch_verdict(self.client, self.repo, run)
            if verdict is None:
                failures = publish_verdict.fetch_failures(self.client, self.repo, run.id)
                self._conclude_without(check, run.conclusion, failures)
                self._print("check", "concluded without a verdict")
                return ExitCode.FINE
            given = self._acknowledgements(metadata, verdict, source)
            self._conclude(check, verdict, given, complete=run.conclusion not in BROKEN)
        except Exception:
            self._conclude_without(check, "failure")
            raise
        jobs = publish_verdict.fetch_jobs(self.client, self.repo, run.id)
        context = CommentContext(
            head=head,
            run_url=run.html_url,
            site_url=self.options.site,
            timings=render_timings(run, jobs, verdict.budget.machine_timings, time.time())
            if self.acknowledgement is None
            else "",
            reader=self._reader(sum(job.conclusion in BROKEN for job in jobs)),
        )
        return self._comment(metadata, context, verdict, source)

    def _comment(
        self, metadata: CommentMetadata, context: CommentContext, verdict: ComparisonReport, source: str = ""
    ) -> int:
        """Comment after the check is concluded, so that a failed comment does not lose the check."""
        numbers = self._pulls(self.client, metadata.head, source)
        if not numbers:
            self.console.log(f"{metadata.head[:10]} is not the head of an open pull request: no comment")
            return ExitCode.FINE

        def render(posted: PostedVerdict | None) -> str | None:
            if posted is None and not (self.options.asked or needs_comment(verdict)):
                return None
            earlier = posted.history(metadata.head) if posted else ()
            given = self._given(posted)
            about = replace(
                context,
                follows_verdict=bool(earlier),
                acknowledged=render_acknowledgements(verdict, given),
                all_acknowledged=not find_unacknowledged(verdict, given),
            )
            return render_comment(verdict, about, render_footer(metadata, earlier, given))

        author = self.options.author or single_comment.get_author(self.client)
        for number in numbers:
            discussion = single_comment.Discussion(repo=self.repo, number=number, author=author)
            self._print(f"comment on #{number}", single_comment.post(self.client, discussion, metadata, render))
        return ExitCode.FINE

    def _pulls(self, client: Client, head: str, source: str) -> tuple[int, ...]:
        """Return the pull requests with the commit *head*; the check and the comment ask once."""
        if head not in self.pulls:
            self.pulls[head] = self._find_pulls(client, head, source)
        return self.pulls[head]

    def _find_pulls(self, client: Client, head: str, source: str) -> tuple[int, ...]:
        if self.options.pull:
            return (self.options.pull,) if is_head(client, self.repo, self.options.pull, head) else ()
        return find_pulls_with_head(client, self.repo, head, source)

    def _reader(self, failed_jobs: int) -> ReaderOptions:
        """Return what the reader can do; ``/benchmark ack`` acknowledges the verdict of the suite, not an answer's."""
        commands = self.options.commands and not is_reply(self.options.key)
        return ReaderOptions(commands=commands, failed_jobs=failed_jobs)

    def _check(self, metadata: CommentMetadata, run_url: str) -> VerdictCheck:
        return VerdictCheck(repo=self.repo, metadata=metadata, name=self.options.check, run_url=run_url)

    def _given(self, posted: PostedVerdict | None) -> tuple[Acknowledgement, ...]:
        """Return what was acknowledged before, and what just was."""
        kept = posted.acknowledged if posted else ()
        new = (self.acknowledgement,) if self.acknowledgement else ()
        return (*(one for one in kept if one not in new), *new)

    def _acknowledgements(
        self, metadata: CommentMetadata, verdict: ComparisonReport, source: str = ""
    ) -> tuple[Acknowledgement, ...] | None:
        """Return what people acknowledged on the pull requests, for the check; None where they cannot be read.

        The check is concluded either way, so no error and no long wait may get in its way.
        """
        if not verdict.has_regressed:
            return ()
        client = replace(self.client, timeout=ACKNOWLEDGEMENTS_TIMEOUT)
        try:
            author = self.options.author or single_comment.get_author(client)
            found = []
            for number in self._pulls(client, metadata.head, source):
                discussion = single_comment.Discussion(repo=self.repo, number=number, author=author)
                found += single_comment.find_own(client, discussion, metadata.key)[:1]
        except WindtunnelError as error:
            self.console.warn(f"earlier acknowledgements cannot be read and do not count: {error}")
            return None
        return tuple(dict.fromkeys(given for one in found for given in self._given(one.posted)))

    def _conclude(
        self, check: VerdictCheck, verdict: ComparisonReport, given: Sequence[Acknowledgement] | None, *, complete: bool
    ) -> None:
        known = self._given(None) if given is None else given
        acknowledged = verdict.has_regressed and not find_unacknowledged(verdict, known)
        title = check_title(verdict, complete=complete, acknowledged=acknowledged)
        output = CheckOutput(title=title, summary=check_summary(verdict, acknowledgements_known=given is not None))
        conclusion = publish_verdict.decide_conclusion(
            verdict, gate=not self.options.no_gate, complete=complete, acknowledged=acknowledged
        )
        check.conclude(self.client, output, conclusion)
        self._print("check", "concluded")

    def _conclude_without(self, check: VerdictCheck, ended: str | None, failures: Sequence[str] = ()) -> None:
        title = check_title_without_verdict(ended, failures)
        output = CheckOutput(title=title, summary=check_summary_without_verdict(ended, failures))
        check.conclude(self.client, output, publish_verdict.conclusion_without_verdict(ended))

    def _print(self, subject: str, outcome: str) -> None:
        self.console.print(f"{subject}: {outcome}\n")


def _metadata(options: CommentOptions, env: Mapping[str, str]) -> CommentMetadata:
    own = own_run(env)
    return CommentMetadata(key=options.key, head=options.head, run=own.id, attempt=own.attempt)

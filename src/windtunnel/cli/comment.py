"""``windtunnel ci comment``: publishes a verdict on GitHub, as a comment and a check."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from msgspec import Meta

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, Name, parse_url
from windtunnel.compare import comment_markdown
from windtunnel.compare.format import ComparisonReport
from windtunnel.compare.report_markdown import CommentContext
from windtunnel.errors import ExitCode, WindtunnelError
from windtunnel.github import runs
from windtunnel.github.api_issues import get_author
from windtunnel.github.check import VerdictCheck, conclusion_without_verdict, decide_conclusion
from windtunnel.github.client import Client, RepositoryName, connect
from windtunnel.github.comment import CommentMetadata, Discussion, PostedVerdict, post, render_footer
from windtunnel.github.pull_requests import PullRequest, find_accepting_person, find_pulls_with_head
from windtunnel.github.runs import BROKEN, WorkflowRun, get_run

MERGE_QUEUE = "merge_group"
"""The event of a run for the merge queue, in which each required check must be concluded again."""

ACCEPTANCE_TIMEOUT = 60.0
"""Seconds for a request about the label, with all its pauses; the job must still conclude the check."""


class CommentOptions(CommonOptions, frozen=True, kw_only=True):
    """Publish a verdict on GitHub: one comment on the pull request, which is updated, and a check on the commit.

    The verdict is read from the artifact of a run, and the pull request is found by its commit. While the run is in
    progress, the check shows that. A run that measures nothing, such as one that a label started, shows the commit's
    earlier verdict again: the label perf-accepted turns its check neutral. No comment is created when nothing changed.
    The token is read from $GITHUB_TOKEN, the repository from $GITHUB_REPOSITORY.

    example:
      windtunnel ci comment --run "$RUN_ID"   # in a workflow on workflow_run
    """

    run: Annotated[int, Meta(ge=1, lt=10**15), Arg(metavar="ID")]
    """The workflow run that measured."""
    key: Name = "default"
    """Distinguishes the comments of several suites."""
    check: Name = "windtunnel"
    """The name of the check."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_url)] = ""
    """The address of the history site, for a link."""
    author: Annotated[str, Arg(metavar="LOGIN")] = ""
    """The account that comments (default: the owner of the token)."""
    no_gate: bool = False
    """Do not fail the check if a benchmark regressed or newly fails."""


def run(options: CommentOptions, console: Console, env: Mapping[str, str]) -> int:
    """Publish; exit code 0 for every verdict, because the check gates."""
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    with connect(env) as client:
        commenter = _Commenter(options=options, repo=repo, client=client, console=console)
        commenter.report_run(client.send(get_run(repo, options.run)))
    return ExitCode.FINE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commenter:
    """Reports one verdict on GitHub and prints what it did."""

    options: CommentOptions
    repo: RepositoryName
    client: Client
    console: Console
    pulls: dict[str, tuple[PullRequest, ...]] = field(default_factory=dict)
    """The pull requests that were found for a commit."""

    def report_run(self, run: WorkflowRun, *, again: bool = False) -> None:
        """Report that *run* waits or is in progress, its verdict, or that it left none.

        With *again* its verdict was reported before: what no longer exists changes nothing.
        """
        metadata = CommentMetadata(key=self.options.key, head=run.head_sha, run=run.id, attempt=run.run_attempt)
        check = VerdictCheck(repo=self.repo, metadata=metadata, name=self.options.check, run_url=run.html_url)
        if run.event == MERGE_QUEUE:
            title = comment_markdown.CHECK_MERGE_QUEUE
            check.publish(self.client, title, title, "neutral")
            self._print("check", "not measured again")
            return
        if not again and self._has_nothing_new(run, check):
            return
        try:
            verdict = runs.fetch_verdict(self.client, self.repo, run)
            if verdict is None and not again:
                failures = runs.fetch_failures(self.client, self.repo, run.id)
                self._conclude_without(check, run.conclusion, failures)
        except Exception:
            if not again:
                self._conclude_without(check, "failure")
            raise
        if verdict is None:
            self._print("check", "unchanged" if again else "concluded without a verdict")
            return
        jobs = runs.fetch_jobs(self.client, self.repo, run.id)
        timings = runs.render_timings(run, jobs, verdict.budget.machine_timings, time.time())
        context = CommentContext(
            head=run.head_sha,
            run_url=run.html_url,
            site_url=self.options.site,
            timings="" if again else timings,
            failed_jobs=sum(job.conclusion in BROKEN for job in jobs),
        )
        self._report_verdict(check, verdict, context, complete=run.conclusion not in BROKEN, source=run.source)

    def _has_nothing_new(self, run: WorkflowRun, check: VerdictCheck) -> bool:
        """Show a *run* that measures later or not at all; return whether it is one.

        An earlier verdict on the commit stays until there is another one: a label starts runs that measure nothing.
        """
        waits, skipped = run.awaits_approval, run.conclusion == "skipped"
        if run.status == "completed" and not waits and not skipped:
            return False
        earlier = check.find_verdict_run(self.client)
        if earlier and (waits or skipped):
            self.report_run(self.client.send(get_run(self.repo, earlier)), again=True)
        elif earlier:
            self._print("check", "unchanged while the commit is measured again")
        elif waits:
            check.wait(self.client, comment_markdown.CHECK_WAITING)
            self._print("check", "waits for approval")
        elif skipped:
            self._conclude_without(check, "skipped")
            self._print("check", "not requested")
        else:
            check.start(self.client, comment_markdown.CHECK_RUNNING)
            self._print("check", "in progress")
        return True

    def _report_verdict(
        self,
        check: VerdictCheck,
        verdict: ComparisonReport,
        context: CommentContext,
        *,
        complete: bool,
        source: str,
    ) -> None:
        """Conclude the check, then comment, so that a failed comment does not lose the check."""
        metadata = check.metadata
        person = self._find_accepting_person(metadata.head, verdict, source)
        title = comment_markdown.check_title(verdict, complete=complete, accepted_by=person or "")
        summary = comment_markdown.check_summary(verdict, accepted_by=person)
        conclusion = decide_conclusion(verdict, gate=not self.options.no_gate, complete=complete, accepted=bool(person))
        check.publish(self.client, title, summary, conclusion)
        self._print("check", "concluded")
        pulls = self._pulls(self.client, metadata.head, source)
        if not pulls:
            self.console.log(f"{metadata.head[:10]} is not the head of an open pull request: no comment")
            return

        def render(posted: PostedVerdict | None) -> str | None:
            if posted is None and not comment_markdown.needs_comment(verdict):
                return None
            earlier = posted.history(metadata.head) if posted else ()
            about = replace(context, follows_verdict=bool(earlier), accepted_by=person or "")
            return comment_markdown.render_comment(verdict, about, render_footer(metadata, earlier))

        author = self.options.author or get_author(self.client)
        for pull in pulls:
            discussion = Discussion(repo=self.repo, number=pull.number, author=author)
            outcome = post(self.client, discussion, metadata, render)
            self._print(f"comment on #{pull.number}", outcome)

    def _pulls(self, client: Client, head: str, source: str) -> tuple[PullRequest, ...]:
        """Return the pull requests with the commit *head*; the check and the comment ask once."""
        if head not in self.pulls:
            self.pulls[head] = find_pulls_with_head(client, self.repo, head, source)
        return self.pulls[head]

    def _find_accepting_person(self, head: str, verdict: ComparisonReport, source: str) -> str | None:
        """Return who accepted the regressions by the label, "" where the label is missing, None if that is unknown.

        The check is concluded either way, so no error and no long wait may get in its way.
        """
        if not verdict.has_regressed:
            return ""
        client = replace(self.client, timeout=ACCEPTANCE_TIMEOUT)
        try:
            return find_accepting_person(client, self.repo, self._pulls(client, head, source))
        except WindtunnelError as error:
            self.console.warn(f"the label that accepts a trade-off cannot be read and does not count: {error}")
            return None

    def _conclude_without(self, check: VerdictCheck, ended: str | None, failures: Sequence[str] = ()) -> None:
        title = comment_markdown.check_title_without_verdict(ended, failures)
        summary = comment_markdown.check_summary_without_verdict(ended, failures)
        check.publish(self.client, title, summary, conclusion_without_verdict(ended))

    def _print(self, subject: str, outcome: str) -> None:
        self.console.print(f"{subject}: {outcome}\n")

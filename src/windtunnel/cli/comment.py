"""``windtunnel ci comment``: publishes a verdict on GitHub, as a comment and a check."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, File, Name, parse_url
from windtunnel.compare import comment_markdown
from windtunnel.compare.format import ComparisonReport
from windtunnel.compare.kinds import CommentContext, decide_conclusion, needs_comment
from windtunnel.errors import ConfigurationError, DataError, ExitCode, RefusedError, WindtunnelError
from windtunnel.github import runs
from windtunnel.github.api_issues import get_author
from windtunnel.github.check import COMPLETED, WITH_VERDICT, VerdictCheck, conclusion_without_verdict
from windtunnel.github.client import Client, RepositoryName, connect
from windtunnel.github.comment import CommentMetadata, Discussion, PostedVerdict, post, render_footer
from windtunnel.github.pull_requests import PullRequest, find_accepting_person, find_pulls_with_head
from windtunnel.github.repositories import read_main_file
from windtunnel.github.runs import BROKEN, WorkflowRun, get_run
from windtunnel.model.settings import WorkflowSettings, parse_settings
from windtunnel.text.escaping import visible

MERGE_QUEUE = "merge_group"
"""The event of a run for the merge queue, in which each required check must be concluded again."""

RESET_TIMEOUT = 3700.0
"""Seconds for one request with all its pauses: GitHub resets a limit within an hour, and says when."""


class CommentOptions(CommonOptions, frozen=True, kw_only=True):
    """Publish a verdict on GitHub: one comment on the pull request, which is updated, and a check on the commit.

    The verdict is read from the artifact of a run, and the pull request is found by its commit. While the run is in
    progress, the check shows that. A run that measures nothing, such as one that a label started, shows the commit's
    earlier verdict again: the label perf-accepted turns its check neutral. Without any verdict the check fails. No
    comment is created when nothing became slower; comment-faster in [tool.windtunnel.ci] asks for more.
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
    config: File = Path("asv.conf.json")
    """The asv configuration; beside it, pyproject.toml of the main branch has label, site and comment-faster."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_url)] = ""
    """The address of the history site, for a link, if the settings name none."""
    author: Annotated[str, Arg(metavar="LOGIN")] = ""
    """The account that comments (default: the owner of the token)."""
    no_gate: bool = False
    """Do not fail the check if a benchmark regressed or newly fails."""


def run(options: CommentOptions, console: Console, env: Mapping[str, str]) -> int:
    """Publish; exit code 0 for every verdict, because the check gates."""
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    with connect(env) as client:
        patient = replace(client, timeout=RESET_TIMEOUT)
        found = patient.send(get_run(repo, options.run))
        settings = WorkflowSettings()
        if found.status == COMPLETED:  # before that, no setting decides anything
            settings = _read_settings(options, repo, patient, console)
        settings = msgspec.structs.replace(settings, site=settings.site or options.site)
        commenter = _Commenter(options=options, settings=settings, repo=repo, client=patient, console=console)
        commenter.report_run(found)
    return ExitCode.FINE


def _read_settings(options: CommentOptions, repo: RepositoryName, client: Client, console: Console) -> WorkflowSettings:
    """Return the settings of the main branch, which a pull request does not choose; the default ones with a warning."""
    path = options.config.with_name("pyproject.toml").as_posix()
    try:
        return parse_settings(read_main_file(client, repo, path), f"{path} of the main branch").ci
    except (ConfigurationError, RefusedError) as error:
        console.warn(f"the default settings apply: {visible(str(error), 400)}")
        return WorkflowSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commenter:
    """Reports one verdict on GitHub and prints what it did."""

    options: CommentOptions
    settings: WorkflowSettings
    """Of the main branch, with the site that the options name if they name none."""
    repo: RepositoryName
    client: Client
    console: Console

    def report_run(self, run: WorkflowRun) -> None:
        """Report that *run* waits or is in progress, its verdict, or that it left none."""
        metadata = CommentMetadata(key=self.options.key, head=run.head_sha, run=run.id, attempt=run.run_attempt)
        check = VerdictCheck.read(self.client, self.repo, metadata, self.options.check)
        if run.event == MERGE_QUEUE:
            title = comment_markdown.CHECK_MERGE_QUEUE
            check.publish(self.client, title, title, "neutral")
            self._print("check", "not measured again")
        elif run.awaits_approval or run.conclusion == "skipped":
            self._report_unmeasured(run, check)
        elif run.status != COMPLETED:
            self._report_progress(run, check)
        else:
            self._report_completed(run, check)

    def _report_progress(self, run: WorkflowRun, check: VerdictCheck) -> None:
        """Show that *run* measures; before it starts, what is known of the commit stays."""
        if run.status != "in_progress" and check.other:
            self._print("check", "unchanged until the commit is measured again")
            return
        title, summary = comment_markdown.CHECK_RUNNING, "The verdict will appear here."
        check.publish(self.client, title, self._summary(run, summary), None)
        self._print("check", "in progress")

    def _report_unmeasured(self, run: WorkflowRun, check: VerdictCheck) -> None:
        """Report a *run* that measures nothing, such as one that a label started, or that a maintainer must approve.

        What another run shows beside the commit stays, but for the label that accepts its verdict. GitHub counts a
        skipped check as success, and a fork can skip the jobs: so where nothing else is known, the check fails, unless
        measuring needs a label that the pull request lacks.
        """
        other = check.other
        if other and other.conclusion in WITH_VERDICT:
            earlier = self.client.send(get_run(self.repo, other.run))
            metadata = replace(check.metadata, run=earlier.id, attempt=earlier.run_attempt)
            self._report_completed(earlier, replace(check, metadata=metadata), again=True)
        elif other and other.conclusion != "skipped":
            self._print("check", "unchanged: another run measures the commit, or was cancelled")
        elif run.awaits_approval:
            text = "The verdict will appear here once the run is approved and has measured."
            summary = self._summary(run, text)
            check.publish(self.client, comment_markdown.CHECK_WAITING, summary, None, progress="queued")
            self._print("check", "waits for approval")
        elif not (pulls := find_pulls_with_head(self.client, self.repo, run.head_sha, run.source)):
            self._print("check", "unchanged: the commit is not the head of an open pull request")
        elif (label := self.settings.label) and not any(pull.has_label(label) for pull in pulls):
            title = comment_markdown.CHECK_NOT_REQUESTED.format(visible(label, 60))
            check.publish(self.client, title, "Nothing was measured.", "skipped")
            self._print("check", "not requested")
        else:
            self._conclude_without(run, check, "skipped")

    def _report_completed(self, run: WorkflowRun, check: VerdictCheck, *, again: bool = False) -> None:
        """Report the verdict of *run*, or that it left none.

        With *again* its verdict was reported before: what no longer exists changes nothing.
        """
        if again and run.status != COMPLETED:
            self._print("check", "unchanged while the commit is measured again")
            return
        try:
            verdict = runs.fetch_verdict(self.client, self.repo, run)
            skipped = False
            if verdict is None and run.conclusion == "success":  # or so GitHub may conclude a run that skips its jobs
                jobs = runs.fetch_jobs(self.client, self.repo, run.id, check.known)
                skipped = all(job.conclusion == "skipped" for job in jobs)
        except Exception:
            if not again:
                self._conclude_without(run, check, "failure")
            raise
        if verdict is not None:
            try:
                self._report_verdict(run, check, verdict, again=again)
            except (ArithmeticError, ValueError) as error:
                self._conclude_without(run, check, "failure")
                raise DataError(f"the verdict of run {run.id} has values that cannot be shown: {error!r}") from error
        elif again:
            self._print("check", "unchanged: the verdict has expired")
        elif skipped:
            self._report_unmeasured(run, check)
        else:
            failures = runs.fetch_failures(self.client, self.repo, run.id, check.known)
            self._conclude_without(run, check, run.conclusion, failures)

    def _report_verdict(self, run: WorkflowRun, check: VerdictCheck, verdict: ComparisonReport, *, again: bool) -> None:
        """Comment, and conclude the check, which links to the comment; a failed comment does not lose the check."""
        jobs = runs.fetch_jobs(self.client, self.repo, run.id, check.known)
        broken = sum(job.conclusion in BROKEN for job in jobs) if jobs else int(run.conclusion in BROKEN)
        timings = runs.render_timings(run, jobs, verdict.budget.machine_timings, time.time())
        pulls, person = self._find_pulls(run, verdict)
        context = CommentContext(
            head=run.head_sha,
            run_url=run.html_url,
            site_url=self.settings.site,
            timings="" if again else timings,
            failed_jobs=broken,
            accepted_by=person,
        )
        conclusion = decide_conclusion(verdict, context, gate=not self.options.no_gate)
        context = replace(context, conclusion=conclusion)
        url = ""
        try:
            if pulls is None:
                pulls = find_pulls_with_head(self.client, self.repo, run.head_sha, run.source)
            if not pulls:
                self.console.log(f"{run.head_sha[:10]} is not the head of an open pull request: no comment")
            for pull in pulls:
                url = self._comment(pull, check.metadata, verdict, context) or url
        finally:
            title, linked = comment_markdown.check_title(verdict, context), replace(context, comment_url=url)
            check.publish(self.client, title, comment_markdown.render_comment(verdict, linked), conclusion)
            self._print("check", "concluded")

    def _comment(
        self, pull: PullRequest, metadata: CommentMetadata, verdict: ComparisonReport, context: CommentContext
    ) -> str:
        """Leave one comment on *pull*, and return its address; empty where none is needed."""

        def render(posted: PostedVerdict | None) -> str | None:
            if posted is None and not needs_comment(verdict, context, faster=self.settings.comment_faster):
                return None
            earlier = posted.history(metadata.head) if posted else ()
            about = replace(context, follows_verdict=bool(earlier), accepted_by=context.accepted_by or "")
            return comment_markdown.render_comment(verdict, about, render_footer(metadata, earlier))

        author = self.options.author or get_author(self.client)
        discussion = Discussion(repo=self.repo, number=pull.number, author=author)
        outcome, url = post(self.client, discussion, metadata, render)
        self._print(f"comment on #{pull.number}", outcome)
        return url

    def _find_pulls(
        self, run: WorkflowRun, verdict: ComparisonReport
    ) -> tuple[tuple[PullRequest, ...] | None, str | None]:
        """Return the pull requests of *run*, and who accepted the regressions by the label, "" if no one did.

        None stands for what is unknown: the check is concluded either way, so no error may get in its way.
        """
        pulls = None
        try:
            pulls = find_pulls_with_head(self.client, self.repo, run.head_sha, run.source)
            return pulls, find_accepting_person(self.client, self.repo, pulls) if verdict.has_regressed else ""
        except WindtunnelError as error:
            self.console.warn(f"the label that accepts a trade-off cannot be read and does not count: {error}")
            return pulls, None

    def _conclude_without(
        self, run: WorkflowRun, check: VerdictCheck, ended: str | None, failures: Sequence[str] = ()
    ) -> None:
        """Conclude the check of a run without a verdict; one that is concluded stays: its verdict may have expired."""
        if check.own and check.own.status == COMPLETED:
            self._print("check", "unchanged: it is concluded, and there is no other verdict")
            return
        title = comment_markdown.check_title_without_verdict(ended, failures)
        summary = self._summary(run, comment_markdown.check_title_without_verdict(ended), failures)
        check.publish(self.client, title, summary, conclusion_without_verdict(ended))
        self._print("check", "concluded without a verdict")

    def _summary(self, run: WorkflowRun, text: str, failures: Sequence[str] = ()) -> str:
        context = CommentContext(run_url=run.html_url, site_url=self.settings.site)
        return comment_markdown.check_summary_without_verdict(text, context, failures)

    def _print(self, subject: str, outcome: str) -> None:
        self.console.print(f"{subject}: {outcome}\n")

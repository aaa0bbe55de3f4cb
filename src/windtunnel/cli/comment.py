"""``windtunnel comment``: tells a verdict on GitHub, under the pull request and beside the commit."""

import argparse
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from windtunnel import files
from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.cli.selection_options import positive
from windtunnel.compare.comment import (
    CHECK_RUNNING,
    CommentContext,
    check_summary,
    check_title,
    check_title_without_verdict,
    needs_comment,
    render_comment,
)
from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport
from windtunnel.errors import ExitCode, UsageError
from windtunnel.github import publish_verdict, single_comment
from windtunnel.github.api_runs import WorkflowRun, get_run
from windtunnel.github.check import CheckOutput
from windtunnel.github.client import Client, connect
from windtunnel.github.comment_metadata import CommentMetadata, PostedVerdict, render_footer
from windtunnel.github.http import RepositoryName
from windtunnel.github.publish_verdict import VerdictCheck
from windtunnel.github.pull_requests import find_pulls_with_head, is_head
from windtunnel.github.run_timings import render_timings

BROKEN = frozenset({"failure", "timed_out", "cancelled"})
"""Conclusions of jobs and runs that did not do all of their work."""

DESCRIPTION = """Tell a verdict on GitHub: one comment under the pull request, kept up to date, and a check.

With --run the verdict comes from that run's artifact, and whose pull request it was from GitHub itself, by the commit;
while the run is under way, the check says so. With --head as well the run may be the one that this is part of, and the
commit is what the workflow says. With FILE and --head what lies here is told. There is no comment where nothing changed
and none stands there yet. The token comes from $GITHUB_TOKEN, the place from $GITHUB_REPOSITORY."""

EXAMPLE = """  windtunnel comment --run "$RUN_ID"                     # in a workflow on workflow_run
  windtunnel comment verdict.json --head "$SHA" --pull 12
  windtunnel comment verdict.json --head "$SHA" --dry-run"""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Post; exit code 0 whatever the verdict is, for telling is no judging."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    if bool(options.run) == bool(options.file):
        raise UsageError("name the verdict: either FILE with --head, or --run ID; see windtunnel comment --help")
    if options.file and not options.head:
        raise UsageError("name the commit that FILE is about with --head; what the file says of itself is not believed")
    if options.dry_run and not options.file:
        raise UsageError("--dry-run shows the comment on FILE; name one")
    if options.dry_run:
        context = CommentContext(head=options.head, site_url=options.site)
        footer = render_footer(_metadata(options, env), ())
        out.write(render_comment(files.read(options.file, VERDICT_FORMAT), context, footer))
        return ExitCode.FINE
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    voice = Voice.of(options, err)
    with connect(env) as client:
        return Commenter(options=options, repo=repo, client=client, out=out, voice=voice, env=env).report()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commenter:
    """Reports one verdict on GitHub and prints what it did to *out*."""

    options: argparse.Namespace
    repo: RepositoryName
    client: Client
    out: TextIO
    voice: Voice
    env: Mapping[str, str]

    def report(self) -> int:
        """Report the verdict that the options name."""
        if not self.options.file:
            return self._report_run(self.client.send(get_run(self.repo, self.options.run)))
        metadata, run_url = _metadata(self.options, self.env), _own_run(self.env)
        verdict = files.read(self.options.file, VERDICT_FORMAT)
        self._conclude(self._check(metadata, run_url), verdict, complete=True)
        context = CommentContext(head=metadata.head, run_url=run_url, site_url=self.options.site)
        return self._comment(metadata, context, verdict)

    def _report_run(self, run: WorkflowRun) -> int:
        """Report that *run* is in progress, its verdict, or that it left none."""
        head = self.options.head or run.head_sha
        metadata = CommentMetadata(key=self.options.key, head=head, run=run.id, attempt=run.run_attempt)
        check = self._check(metadata, run.html_url)
        if run.status != "completed" and not self.options.head:
            self._print(check.start(self.client, CHECK_RUNNING), "in progress")
            return ExitCode.FINE
        try:
            verdict = publish_verdict.fetch_verdict(self.client, self.repo, run.id, self.options.artifact)
            if verdict is None:
                self._print(self._conclude_without(check, run.conclusion), "concluded without a verdict")
                return ExitCode.FINE
            self._conclude(check, verdict, complete=run.conclusion not in BROKEN)
        except Exception:
            self._conclude_without(check, "failure")
            raise
        jobs = publish_verdict.fetch_jobs(self.client, self.repo, run.id)
        context = CommentContext(
            head=head,
            run_url=run.html_url,
            site_url=self.options.site,
            timings=render_timings(run, jobs, verdict.budget.machine_timings, time.time()),
            failed_jobs=sum(job.conclusion in BROKEN for job in jobs),
        )
        return self._comment(metadata, context, verdict)

    def _comment(self, metadata: CommentMetadata, context: CommentContext, verdict: ComparisonReport) -> int:
        """Comment after the check is concluded, so that a failed comment does not lose the check."""
        numbers = self._pulls(metadata.head)
        if not numbers:
            self.voice.say(f"no open pull request has {metadata.head[:10]} as its head: no comment")
            return ExitCode.FINE

        def render(posted: PostedVerdict | None) -> str | None:
            if posted is None and not (self.options.asked or needs_comment(verdict)):
                return None
            earlier = posted.history(metadata.head) if posted else ()
            about = replace(context, follows_verdict=bool(earlier))
            return render_comment(verdict, about, render_footer(metadata, earlier))

        author = self.options.author or single_comment.get_author(self.client)
        for number in numbers:
            discussion = single_comment.Discussion(repo=self.repo, number=number, author=author)
            self._print(f"comment on #{number}", single_comment.post(self.client, discussion, metadata, render))
        return ExitCode.FINE

    def _pulls(self, head: str) -> tuple[int, ...]:
        if self.options.pull:
            return (self.options.pull,) if is_head(self.client, self.repo, self.options.pull, head) else ()
        return find_pulls_with_head(self.client, self.repo, head)

    def _check(self, metadata: CommentMetadata, run_url: str) -> VerdictCheck:
        return VerdictCheck(repo=self.repo, metadata=metadata, name=self.options.check, run_url=run_url)

    def _conclude(self, check: VerdictCheck, verdict: ComparisonReport, *, complete: bool) -> None:
        title = check_title(verdict, complete=complete)
        output = CheckOutput(title=title, summary=check_summary(verdict))
        conclusion = publish_verdict.decide_conclusion(verdict, gate=not self.options.no_gate, complete=complete)
        self._print(check.conclude(self.client, output, conclusion), "concluded")

    def _conclude_without(self, check: VerdictCheck, ended: str | None) -> str:
        title = check_title_without_verdict(ended)
        conclusion = publish_verdict.conclusion_without_verdict(ended)
        return check.conclude(self.client, CheckOutput(title=title, summary=title), conclusion)

    def _print(self, subject: str, outcome: str) -> None:
        self.out.write(f"{subject}: {outcome}\n")


def _parser(out: TextIO) -> Parser:
    parser = Parser("comment", out=out, description=DESCRIPTION, example=EXAMPLE)
    add = parser.add_argument
    add("file", nargs="?", type=Path, metavar="FILE", help="a verdict, as windtunnel compare writes it")
    add("--run", type=positive, default=0, metavar="ID", help="the run of a workflow that measured")
    add(
        "--head",
        type=_sha,
        default="",
        metavar="SHA",
        help="the commit that the verdict is about (with --run: the run's)",
    )
    add("--pull", type=positive, default=0, metavar="N", help="only this pull request, if SHA is its head still")
    add("--artifact", default="windtunnel-verdict", metavar="NAME", help="default: %(default)s")
    add("--key", default="default", metavar="NAME", help="tells the comments of several suites apart (%(default)s)")
    add("--check", default="windtunnel", metavar="NAME", help="the name beside the commit (%(default)s)")
    add("--site", type=_url, default="", metavar="URL", help="the history site, for a link")
    add("--author", default="", metavar="LOGIN", help="who comments (default: whoever the token belongs to)")
    add("--asked", action="store_true", help="somebody asked for it: comment also where nothing changed")
    add("--no-gate", action="store_true", help="a regression does not fail the check")
    add("--dry-run", action="store_true", help="print the comment on FILE and ask GitHub nothing")
    return parser


def _metadata(options: argparse.Namespace, env: Mapping[str, str]) -> CommentMetadata:
    run, attempt = env.get("GITHUB_RUN_ID", ""), env.get("GITHUB_RUN_ATTEMPT", "")
    return CommentMetadata(
        key=options.key,
        head=options.head,
        run=int(run) if run.isdecimal() else 0,
        attempt=int(attempt) if attempt.isdecimal() else 1,
    )


def _own_run(env: Mapping[str, str]) -> str:
    """Return the address of the run that this is part of; nothing at a desk."""
    server, repo, run = (env.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"))
    return f"{server}/{repo}/actions/runs/{run}" if server and run else ""


def _sha(text: str) -> str:
    if text and not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no full commit hash")
    return text


def _url(text: str) -> str:
    if text and not re.fullmatch(r"https?://[^\s()<>\[\]\"'`|\\]+", text):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no URL")
    return text

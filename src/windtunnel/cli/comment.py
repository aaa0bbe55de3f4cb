"""``windtunnel comment``: tells a verdict on GitHub, under the pull request and beside the commit."""

import argparse
import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from windtunnel import files
from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.cli.selection_options import positive
from windtunnel.compare.comment_markdown import CommentContext, render_comment
from windtunnel.compare.comment_metadata import CommentMetadata
from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport
from windtunnel.errors import ExitCode, UsageError
from windtunnel.github import publish_verdict, single_comment
from windtunnel.github.api_runs import WorkflowRun, workflow_run
from windtunnel.github.client import Client, connect
from windtunnel.github.http import RepositoryName
from windtunnel.github.publish_verdict import Occasion
from windtunnel.github.pull_requests import is_head, pulls_headed
from windtunnel.github.run_timings import durations

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
        out.write(
            render_comment(
                files.read(options.file, VERDICT_FORMAT),
                CommentContext(metadata=_marker(options, env), site_url=options.site),
            )
        )
        return ExitCode.FINE
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    teller = Teller(options=options, repo=repo, out=out, voice=Voice.of(options, err), env=env)
    return asyncio.run(teller.work())


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller:
    """Carries one call out and says on *out* what it did."""

    options: argparse.Namespace
    repo: RepositoryName
    out: TextIO
    voice: Voice
    env: Mapping[str, str]

    async def work(self) -> int:
        """Do what the options ask for."""
        async with connect(self.env) as client:
            if self.options.file:
                report = files.read(self.options.file, VERDICT_FORMAT)
                metadata = _marker(self.options, self.env)
                occasion = self._occasion(
                    CommentContext(metadata=metadata, run_url=_own_run(self.env), site_url=self.options.site)
                )
                self._say(await publish_verdict.conclude(client, occasion, report), "concluded")
                return await self._comment(client, occasion, report)
            return await self._run(client, await client.send(workflow_run(self.repo, self.options.run)))

    async def _run(self, client: Client, run: WorkflowRun) -> int:
        """Tell of *run*: that it is under way, how it came out, or that it left no verdict."""
        head = self.options.head or run.head_sha
        metadata = CommentMetadata(key=self.options.key, head=head, run=run.id, attempt=run.run_attempt)
        about = CommentContext(metadata=metadata, run_url=run.html_url, site_url=self.options.site)
        occasion = replace(self._occasion(about), complete=run.conclusion not in BROKEN)
        if run.status != "completed" and not self.options.head:
            self._say(await publish_verdict.begin(client, occasion), "in progress")
            return ExitCode.FINE
        try:
            report = await publish_verdict.fetch_verdict(client, self.repo, run.id, self.options.artifact)
            if report is None:
                ended = await publish_verdict.conclude_without(client, occasion, run.conclusion)
                self._say(ended, "concluded without a verdict")
                return ExitCode.FINE
            self._say(await publish_verdict.conclude(client, occasion, report), "concluded")
        except Exception:
            await publish_verdict.conclude_without(client, occasion, "failure")
            raise
        jobs = await publish_verdict.jobs_of(client, self.repo, run.id)
        times = durations(run, jobs, report.budget.machine_timings, time.time())
        about = replace(about, durations=times, failed_jobs=sum(job.conclusion in BROKEN for job in jobs))
        return await self._comment(client, replace(occasion, about=about), report)

    async def _comment(self, client: Client, occasion: Occasion, report: ComparisonReport) -> int:
        """Comment after the check is concluded: that is never missing, whatever becomes of the comments."""
        numbers = await self._pulls(client, occasion.about.metadata.head)
        if not numbers:
            self.voice.say(f"no open pull request has {occasion.about.metadata.head[:10]} as its head: no comment")
            return ExitCode.FINE
        author = self.options.author or await single_comment.author(client)
        for number in numbers:
            thread = single_comment.Thread(repo=self.repo, number=number, author=author)
            self._say(f"comment on #{number}", await publish_verdict.tell(client, occasion, report, thread))
        return ExitCode.FINE

    async def _pulls(self, client: Client, head: str) -> tuple[int, ...]:
        if self.options.pull:
            fits = await is_head(client, self.repo, self.options.pull, head)
            return (self.options.pull,) if fits else ()
        return await pulls_headed(client, self.repo, head)

    def _occasion(self, about: CommentContext) -> Occasion:
        options = self.options
        return Occasion(repo=self.repo, about=about, check=options.check, gate=not options.no_gate, asked=options.asked)

    def _say(self, what: str, became: str) -> None:
        self.out.write(f"{what}: {became}\n")


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


def _marker(options: argparse.Namespace, env: Mapping[str, str]) -> CommentMetadata:
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

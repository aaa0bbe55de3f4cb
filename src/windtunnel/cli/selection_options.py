"""What ``plan`` and ``bench`` share: which commits, Pythons and cases, and the planner that answers."""

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from windtunnel.asv.configuration import Configuration
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.project_repository import find_project_repository
from windtunnel.asv.pythons import find_interpreters
from windtunnel.bench.commit_selection import CommitRequest
from windtunnel.bench.format import Plan
from windtunnel.bench.plan import Planner, PlanRequest
from windtunnel.bench.shard_run import LOG
from windtunnel.claims.claim_lookup import claimed_cases
from windtunnel.cli.claims import read_claims
from windtunnel.cli.options import Parser, Voice
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository


def add_selection(parser: Parser) -> None:
    """Add the options that say what to time."""
    add = parser.add_argument
    add("--commits", type=positive, default=3, metavar="N", help="how many of the newest commits (3)")
    add("--revisions", default="HEAD", metavar="REV", help="up to this revision, or all of a range A..B (HEAD)")
    add("--tags", action="store_true", help="the tagged commits instead, newest first")
    add("--backfill", type=positive, default=0, metavar="N", help="N commits spread over all: first, last, middle …")
    add("--python", action="append", default=[], metavar="SPEC", help="only this Python, as 3.13; may be repeated")
    add("--bench", action="append", default=[], metavar="REGEX", help="only matching cases; may be repeated")
    add("--claimed", action="store_true", help="only the cases that the suite's claims are about")
    add(
        "--rounds", type=positive, default=0, metavar="N", help="N processes a case, instead of what its benchmark says"
    )
    add("--budget", type=positive, default=0, metavar="MIN", help="leave out what takes longer, in runner-minutes")
    add("--retry", action="store_true", help="try again what failed or was skipped before")


def positive(text: str) -> int:
    """Return *text* as a number above zero, for argparse."""
    if not (text.isascii() and text.isdecimal()) or not 0 < int(text) < 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above zero")
    return int(text)


def request_of(options: argparse.Namespace, suite: Configuration, *, shards: int) -> PlanRequest:
    """Return what the options ask for."""
    commits = CommitRequest(
        newest=options.commits,
        revisions=options.revisions,
        tags=options.tags,
        backfill=options.backfill,
        irrelevant=suite.settings.irrelevant_paths,
    )
    return PlanRequest(
        commits=commits,
        pythons=tuple(options.python),
        bench=tuple(options.bench) or suite.settings.bench,
        rounds=options.rounds,
        only=partial(claimed_cases, read_claims(suite.claims)) if options.claimed else None,
        shards=shards,
        budget=options.budget * 60.0,
    )


def find_repository(suite: Configuration, env: Mapping[str, str], voice: Voice) -> Repository:
    """Return the suite's repository and warn of what will be missing.

    Raises UsageError where there is no commit to time.
    """
    repository = find_project_repository(suite, env)
    if not repository.has_commits():
        raise UsageError(f"{repository.root} has no commits; commits are what is timed: make one first")
    if repository.is_shallow():
        voice.warn("the clone is shallow, older commits cannot be timed; git fetch --unshallow brings them")
    if repository.is_dirty():
        voice.warn("uncommitted changes: the package is timed as committed, the suite as it lies here")
    return repository


def make_planner(
    suite: Configuration, repository: Repository, folder: Path, env: Mapping[str, str], voice: Voice
) -> Planner:
    """Return the planner of *suite*; *folder* keeps discovered benchmarks and asv's log."""
    return Planner(
        configuration=suite,
        repository=repository,
        interpreters=find_interpreters(env),
        supervisor=Supervisor(env=env, log=folder / LOG),
        work=folder,
        say=voice.say,
    )


def tell(plan: Plan, voice: Voice) -> None:
    """Say what is planned and what is left out."""
    for excluded in plan.excluded:
        voice.say(f"left out: {excluded.item}: {excluded.reason}")
    if not plan.shards:
        voice.say("nothing new to measure")
        return
    tasks = [task for shard in plan.shards for task in shard.tasks]
    commits = len({task.commit for task in tasks})
    pythons = ", ".join(dict.fromkeys(task.python for task in tasks))
    voice.say(f"{plan.cases} cases to measure: {commits} commits, Python {pythons}; about {plan.seconds / 60:.0f} min")

"""What ``plan`` and ``bench`` share: the options that select commits, Pythons and cases."""

import shutil
from collections.abc import Mapping
from typing import Annotated

import msgspec

from windtunnel.asv.configuration import Configuration
from windtunnel.bench.commit_selection import CommitRequest
from windtunnel.bench.format import Plan
from windtunnel.bench.plan import NAME_A_PYTHON, PlanRequest, own_python_warning
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Minutes, PositiveInt, Regexes
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository
from windtunnel.text import numbers


class SelectionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure."""

    commits: PositiveInt = 3
    """Measure this many of the newest commits."""
    revisions: Annotated[str, Arg(metavar="REV", default="--branch, else HEAD")] = ""
    """Measure commits up to this revision, or all commits of a range A..B."""
    tags: bool = False
    """Measure the tagged commits instead, newest first."""
    backfill: PositiveInt | None = None
    """Measure this many commits spread over the whole range: the first, the last, the middle, and so on."""
    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Measure only on this Python, such as 3.13 or virtualenv:3.13; may be repeated."""
    bench: Regexes = ()
    """Measure only the cases that match; may be repeated."""
    instructions: bool = False
    """Count the instructions of the selected cases too (Linux and CPython, with valgrind)."""
    rounds: PositiveInt | None = None
    """Run this many processes for each case (default: what its benchmark sets), and count with as many hash seeds."""
    budget: Minutes | None = None
    """Leave out what takes longer than this many runner-minutes."""
    retry: bool = False
    """Measure again what failed or was skipped before."""


def default_revisions(branch: str | None, suite: Configuration, repository: Repository) -> str:
    """Return what is measured without --revisions: the *branch* asked for, else HEAD; of a clone, the main branch."""
    if branch or repository.bare:
        return repository.measured_branch(branch, suite.branches).commit
    return "HEAD"


def warn_of_own_python(options: SelectionOptions, suite: Configuration, console: Console) -> None:
    """Warn if the configuration makes Windtunnel measure its own Python."""
    if warning := own_python_warning(suite, options.python):
        console.warn(f"{warning}; {NAME_A_PYTHON}")


def refuse_uncountable(options: SelectionOptions, env: Mapping[str, str]) -> None:
    """Raise UsageError if instructions are to be counted here without valgrind: skipped cases are not tried again."""
    if options.instructions and shutil.which("valgrind", path=env.get("PATH")) is None:
        raise UsageError(
            "--instructions counts with valgrind, which is missing: sudo apt-get install valgrind (Linux), or omit it"
        )


def plan_request(options: SelectionOptions, suite: Configuration, *, shards: int, revisions: str) -> PlanRequest:
    """Return the request for a plan; *revisions* applies without --revisions."""
    commits = CommitRequest(
        newest=options.commits,
        revisions=options.revisions or revisions,
        tags=options.tags,
        backfill=options.backfill or 0,
        irrelevant=suite.settings.irrelevant_paths,
    )
    return PlanRequest(
        commits=commits,
        pythons=options.python,
        bench=options.bench or suite.settings.bench,
        rounds=options.rounds or 0,
        shards=shards,
        budget=(options.budget or 0) * 60.0,
        instructions=options.instructions,
    )


def log_plan(plan: Plan, console: Console) -> None:
    """Report what is planned and what is left out."""
    by_reason: dict[str, list[str]] = {}
    for excluded in plan.excluded:
        by_reason.setdefault(excluded.reason, []).append(excluded.item)
    for reason, items in by_reason.items():
        first, *rest = items
        more = f" and {len(rest)} more" if rest else ""
        console.log(f"left out: {first}{more}: {reason}")
        for item in rest:
            console.detail(f"left out: {item}: {reason}")
    if not plan.shards:
        console.log("nothing new to measure")
        return
    tasks = [task for shard in plan.shards for task in shard.tasks]
    commits = len({task.commit for task in tasks})
    pythons = ", ".join(dict.fromkeys(task.python for task in tasks))
    console.log(
        f"{numbers.count(plan.cases, 'case')} to measure: {numbers.count(commits, 'commit')}, Python {pythons}; "
        f"about {plan.seconds / 60:.0f} min"
    )

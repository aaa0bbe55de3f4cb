"""What ``plan`` and ``bench`` share: what is selected by default, and what a plan leaves out."""

import shutil
from collections.abc import Mapping

from msgspec.structs import replace

from windtunnel.asv.configuration import Configuration
from windtunnel.bench.commit_selection import PlanRequest
from windtunnel.bench.format import Plan
from windtunnel.bench.plan import NAME_A_PYTHON, own_python_warning
from windtunnel.cli.console import Console
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository
from windtunnel.text import numbers


def default_revisions(branch: str | None, suite: Configuration, repository: Repository) -> str:
    """Return what is measured without --revisions: the *branch* asked for, else HEAD; of a clone, the main branch."""
    if branch or repository.bare:
        return repository.measured_branch(branch, suite.branches).commit
    return "HEAD"


def warn_of_own_python(options: PlanRequest, suite: Configuration, console: Console) -> None:
    """Warn if the configuration makes Windtunnel measure its own Python."""
    if warning := own_python_warning(suite, options.python):
        console.warn(f"{warning}; {NAME_A_PYTHON}")


def refuse_uncountable(options: PlanRequest, env: Mapping[str, str]) -> None:
    """Raise UsageError if instructions are to be counted here without valgrind: skipped cases are not tried again."""
    if options.instructions and shutil.which("valgrind", path=env.get("PATH")) is None:
        raise UsageError(
            "--instructions counts with valgrind, which is missing: sudo apt-get install valgrind (Linux), or omit it"
        )


def plan_request(options: PlanRequest, suite: Configuration, revisions: str) -> PlanRequest:
    """Return what to plan: *options*, with the *revisions* and the settings of *suite* where they name none."""
    return replace(options, revisions=options.revisions or revisions, bench=options.bench or suite.settings.bench)


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

"""``windtunnel ci run``: runs one shard of a plan."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from windtunnel import files
from windtunnel.asv import machine
from windtunnel.asv.engine_session import Supervisor
from windtunnel.bench.format import PLAN_FORMAT, Plan, Shard
from windtunnel.bench.shard_run import LOG, ShardRun
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Count, File, Folder
from windtunnel.cli.progress import ShardProgress
from windtunnel.cli.suite import Builds, SuiteOptions, find_builds, find_suite, open_repository, place_of
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import LOCK_NAME, locked
from windtunnel.git.repository import Repository, read_author
from windtunnel.model.identity import CommitHash
from windtunnel.model.run_format import RunRecord


class RunOptions(SuiteOptions, frozen=True, kw_only=True):
    """Run one shard of a plan in this repository.

    Writes OUT/results (asv's format), OUT/run.json (the state of each case, the machine) and OUT/asv.log.

    example:
      windtunnel ci run --plan plan.json --shard 0 --out shard-0
    """

    plan: File
    """The plan that windtunnel ci plan wrote."""
    shard: Annotated[Count, Arg(metavar="K")]
    """The number of the shard, from 0."""
    out: Folder
    """The folder to fill; it must be new or empty."""
    builds: Builds = None
    """Install from the builds of windtunnel ci build in this folder; a commit without one is built."""


def run(options: RunOptions, console: Console, env: Mapping[str, str]) -> int:
    """Run one shard; exit code 3 when it measured nothing."""
    plan = files.read(options.plan, PLAN_FORMAT)
    suite = find_suite(planned_config(options.config, plan, env), env)
    repository = open_repository(options, suite, env, console)
    out_folder = options.out.absolute()
    shard_run = ShardRun(
        plan=plan,
        shard=shard_of(plan, options.shard, options.plan),
        place=place_of(suite, repository, find_builds(options.builds, console)),
        out=out_folder,
        machine=machine.read_machine(env),
        supervisor=Supervisor(env=env, log=out_folder / LOG),
        mapped=_newest(plan, repository),
    )
    _refuse_used(options.out)
    with locked(out_folder, timeout=0), ShardProgress(shard=shard_run.shard, console=console) as progress:
        _refuse_used(options.out)  # another run may have filled it before the lock
        record = shard_run.run(progress)
    return log_record(record, console)


def _newest(plan: Plan, repository: Repository) -> Mapping[CommitHash, int]:
    """Return the newest commit of *plan* with its author date; nothing for an empty plan."""
    commits = {task.commit for shard in plan.shards for task in shard.tasks}
    dates = {commit: read_author(repository, commit).author_date for commit in commits}
    return dict(sorted(dates.items(), key=lambda each: each[::-1])[-1:])


def shard_of(plan: Plan, index: int, path: Path) -> Shard:
    """Return the shard with this *index*; raises UsageError."""
    if not 0 <= index < len(plan.shards):
        raise UsageError(f"{path} has {len(plan.shards)} shards, numbered from 0; --shard {index} is not one of them")
    return plan.shards[index]


def log_record(record: RunRecord, console: Console) -> ExitCode:
    """Report for each Python what a run measured, what it did not, and why; return the exit code."""
    for problem in record.problems():
        console.warn(problem)
    for line in record.coverage():
        console.log(line)
    if any(case.state == "measured" for task in record.tasks for case in task.cases):
        return ExitCode.FINE
    console.warn("nothing was measured; the reasons are above and in run.json")
    return ExitCode.DATA


def planned_config(given: Path | None, plan: Plan, env: Mapping[str, str]) -> Path:
    """Return the configuration *given*, or the one of *plan* in this repository; raises UsageError."""
    if given:
        return given
    try:
        root = Repository.at(Path.cwd(), env).root
    except UsageError:
        root = Path.cwd()
    path = root / plan.config
    if not path.is_file() or not path.resolve().is_relative_to(root.resolve()):
        raise UsageError(
            f"{root} has no {plan.config}, which the plan uses; run in a clone of that repository, "
            "or name the configuration with --config"
        )
    return path


def _refuse_used(path: Path) -> None:
    """Refuse a folder with content, so that an earlier run does not mix with this one."""
    if path.exists() and (not path.is_dir() or any(each.name != LOCK_NAME for each in path.iterdir())):
        raise UsageError(
            f"{path} exists and is not an empty folder; name a new one. windtunnel merge accepts what an earlier run "
            "left there, even if the run was killed"
        )

"""``windtunnel run``: carries out one shard of a plan and leaves results and run.json."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from windtunnel import files
from windtunnel.asv import machine
from windtunnel.asv.engine_session import Supervisor
from windtunnel.bench.format import PLAN_FORMAT, Plan, Shard
from windtunnel.bench.shard_run import LOG, ShardRun
from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, parse
from windtunnel.cli.progress import Display
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import LOCK_NAME, locked
from windtunnel.git.repository import Repository
from windtunnel.model.run_format import CaseState, RunRecord
from windtunnel.results.tree import RECORD, RESULTS


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Carry out one shard; exit code 3 when it measured nothing."""
    parser = Parser(
        "run",
        out=out,
        description=f"Carry out one shard of a plan in this repository. Leaves OUT/{RESULTS} (asv's format),\n"
        f"OUT/{RECORD} (what became of each case, the machine, reference times) and OUT/{LOG}.",
        example="  windtunnel run --plan plan.json --shard 0 --out shard-0",
    )
    add_suite(parser)
    parser.add_argument("--plan", type=Path, required=True, metavar="FILE", help="the plan that windtunnel plan wrote")
    parser.add_argument("--shard", type=int, required=True, metavar="K", help="which shard, from 0")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to fill; new or empty")
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    plan = files.read(options.plan, PLAN_FORMAT)
    out_folder = options.out.absolute()
    run = ShardRun(
        plan=plan,
        shard=shard_of(plan, options.shard, options.plan),
        config=_config(options.config, plan, env),
        out=out_folder,
        machine=machine.record(machine.read_system(env), env),
        supervisor=Supervisor(env=env, log=out_folder / LOG),
    )
    _refuse_used(options.out)
    with locked(out_folder, timeout=0), Display(shard=run.shard, err=err, quiet=options.quiet) as display:
        _refuse_used(options.out)  # by another run, between the first look and the lock
        record = run.run(display)
    return report(record, Voice.of(options, err))


def shard_of(plan: Plan, index: int, path: Path) -> Shard:
    """Return the shard with this *index*."""
    if not 0 <= index < len(plan.shards):
        raise UsageError(f"{path} has {len(plan.shards)} shards, numbered from 0; there is no shard {index}")
    return plan.shards[index]


def report(record: RunRecord, voice: Voice) -> ExitCode:
    """Say what a run measured, by Python, and what it did not and why."""
    for problem in record.problems():
        voice.warn(problem)
    for coverage in record.coverage():
        voice.say(
            f"Python {coverage.python}: {coverage.measured} of {coverage.expected} cases measured, "
            f"{coverage.failed} failed, {coverage.skipped} skipped"
        )
    if any(case.state is CaseState.MEASURED for task in record.tasks for case in task.cases):
        return ExitCode.FINE
    voice.warn("nothing was measured; the reasons are above and in run.json")
    return ExitCode.DATA


def _config(given: Path | None, plan: Plan, env: Mapping[str, str]) -> Path:
    if given:
        return find_suite(given).path
    root = Repository.at(Path.cwd(), env).root
    path = root / plan.config
    if not path.is_file() or not path.resolve().is_relative_to(root.resolve()):
        raise UsageError(
            f"{root} has no {plan.config}, which the plan was made for; run in a clone of that repository, "
            "or name the configuration with --config"
        )
    return path


def _refuse_used(path: Path) -> None:
    """Refuse a folder that holds files, so that two runs are not mixed."""
    if path.exists() and (not path.is_dir() or any(item.name != LOCK_NAME for item in path.iterdir())):
        raise UsageError(
            f"{path} is there already; name a new folder. Results of an interrupted run are usable: windtunnel merge "
            "takes both folders"
        )

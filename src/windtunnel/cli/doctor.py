"""``windtunnel doctor``: shows what would be measured, what is missing, and how to fix it."""

from collections.abc import Mapping
from typing import Annotated

from windtunnel.asv.engine_session import Supervisor
from windtunnel.bench.doctor import CheckResult, DoctorContext, run_checks
from windtunnel.bench.plan import find_environments
from windtunnel.bench.shard_run import LOG
from windtunnel.cli.console import QUIET, Console
from windtunnel.cli.options import Arg
from windtunnel.cli.suite import SuiteOptions, find_suite, open_repository
from windtunnel.errors import ExitCode

MARKS = {"ok": "ok     ", "warning": "warning", "fatal": "FATAL  "}


class DoctorOptions(SuiteOptions, frozen=True, kw_only=True):
    """Show what windtunnel bench would measure here, what is missing, and how to fix it.

    example:
      windtunnel doctor --config suite/asv.conf.json
      windtunnel doctor --python virtualenv:3.13   # for a suite whose configuration asks for conda
    """

    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Check this Python instead of those of the configuration, such as 3.13 or virtualenv:3.13; may be repeated."""


def run(options: DoctorOptions, console: Console, env: Mapping[str, str]) -> int:
    """Print every check, only problems when quiet; exit code 3 when windtunnel bench could not run."""
    statuses = []
    suite = find_suite(options.config, env)
    supervisor = Supervisor(env=env, log=suite.folder / ".windtunnel" / LOG)
    context = DoctorContext(
        configuration=suite,
        env=env,
        repository=lambda: open_repository(options, suite, env, console),
        environments=lambda: find_environments(suite, supervisor, env, options.python),
        pythons=options.python,
    )
    for check in run_checks(context):
        statuses.append(check.status)
        if check.status != "ok" or console.level > QUIET:
            console.print(line(check))
    if "fatal" in statuses:
        console.err.write("windtunnel doctor: windtunnel bench cannot run here; fix what is marked FATAL\n")
        return ExitCode.DATA
    return ExitCode.FINE


def line(check: CheckResult) -> str:
    """Return *check* as a line, and a second line with the fix if there is one."""
    fix = f"\n          fix: {check.fix}" if check.fix else ""
    return f"{MARKS[check.status]}  {check.message}{fix}\n"

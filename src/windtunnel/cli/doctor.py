"""``windtunnel doctor``: says what would be measured, what is missing, and how to fix it."""

from collections.abc import Mapping, Sequence
from typing import TextIO

from windtunnel.bench.doctor import CheckResult, CheckStatus, DoctorContext, run_checks
from windtunnel.cli.options import Parser, add_suite, find_suite, parse
from windtunnel.errors import ExitCode

MARKS = {CheckStatus.OK: "ok     ", CheckStatus.WARNING: "warning", CheckStatus.FATAL: "FATAL  "}


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Print every finding; exit code 3 when the main job could not run."""
    parser = Parser(
        "doctor",
        out=out,
        description="Say what the main job would measure here, what is missing, and how to fix it.",
        example="  windtunnel doctor --config suite/asv.conf.json",
    )
    add_suite(parser)
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    grades = []
    for finding in run_checks(DoctorContext(configuration=find_suite(options.config), env=env)):
        grades.append(finding.status)
        if finding.status is not CheckStatus.OK or not options.quiet:
            out.write(line(finding))
    if CheckStatus.FATAL in grades:
        err.write("windtunnel doctor: the main job could not run here; fix what is marked FATAL\n")
        return ExitCode.DATA
    return ExitCode.FINE


def line(finding: CheckResult) -> str:
    """Return *finding* as a line, and a second one that says how to fix it."""
    fix = f"\n          fix: {finding.fix}" if finding.fix else ""
    return f"{MARKS[finding.status]}  {finding.message}{fix}\n"

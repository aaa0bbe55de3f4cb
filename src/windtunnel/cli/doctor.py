"""``windtunnel doctor``: says what would be measured, what is missing, and how to mend it."""

from collections.abc import Mapping, Sequence
from typing import TextIO

from windtunnel.bench.doctor import Finding, Grade, Patient, examine
from windtunnel.cli.options import Parser, add_suite, find_suite, parse
from windtunnel.errors import ExitCode

MARKS = {Grade.GOOD: "ok     ", Grade.WARNING: "warning", Grade.FATAL: "FATAL  "}


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Print every finding; exit code 3 when the main job could not run."""
    parser = Parser(
        "doctor",
        out=out,
        description="Say what the main job would measure here, what is missing, and how to mend it.",
        example="  windtunnel doctor --config suite/asv.conf.json",
    )
    add_suite(parser)
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    grades = []
    for finding in examine(Patient(configuration=find_suite(options.config), env=env)):
        grades.append(finding.grade)
        if finding.grade is not Grade.GOOD or not options.quiet:
            out.write(line(finding))
    if Grade.FATAL in grades:
        err.write("windtunnel doctor: the main job could not run here; mend what is marked FATAL\n")
        return ExitCode.DATA
    return ExitCode.FINE


def line(finding: Finding) -> str:
    """Return *finding* as a line, and a second one that says how to mend it."""
    mend = f"\n          to mend it: {finding.mend}" if finding.mend else ""
    return f"{MARKS[finding.grade]}  {finding.what}{mend}\n"

"""``windtunnel report``: tells in words what a file of ours says."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from windtunnel import codec, verdict_json
from windtunnel.cli.options import Parser, parse
from windtunnel.errors import DataError, ExitCode
from windtunnel.measurement.verdict import Judgement
from windtunnel.report.verdict_markdown import markdown
from windtunnel.report.verdict_terminal import terminal


def as_json(judgement: Judgement) -> str:
    """Return verdict.json as it was written."""
    return verdict_json.encode(judgement).decode()


FORMATS: Mapping[str, Callable[[Judgement], str]] = {"terminal": terminal, "markdown": markdown, "json": as_json}


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:  # noqa: ARG001 - Main's signature
    """Print the report; exit code 0 whatever it says, for telling is no judging."""
    parser = Parser(
        "report",
        out=out,
        description="Tell in words what verdict.json says; markdown always fits a GitHub comment.",
        example="  windtunnel report verdict.json --format markdown >> $GITHUB_STEP_SUMMARY",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path("verdict.json"), metavar="FILE", help="default: %(default)s"
    )
    parser.add_argument("--format", choices=[*FORMATS], default="terminal", help="default: %(default)s")
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    out.write(FORMATS[options.format](read_verdict(options.file)))
    return ExitCode.FINE


def read_verdict(path: Path) -> Judgement:
    """Return the judgement in the file *path*; raises DataError."""
    try:
        with path.open("rb") as file:
            content = file.read(codec.LIMIT + 1)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; windtunnel compare writes such a file") from None
    return verdict_json.decode(content, str(path))

"""``windtunnel report``: tells in words what a file of ours says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TextIO, TypeVar

from windtunnel import formats
from windtunnel.claims import format as claim_board
from windtunnel.claims import format as claims_json
from windtunnel.claims import report_markdown as claims_markdown
from windtunnel.claims import report_terminal as claims_terminal
from windtunnel.cli.options import Parser, parse
from windtunnel.compare import format as verdict
from windtunnel.compare import format as verdict_json
from windtunnel.compare import report_markdown as verdict_markdown
from windtunnel.compare import report_terminal as verdict_terminal
from windtunnel.compare.format import ComparisonReport
from windtunnel.detect import format as changes
from windtunnel.detect import format as changes_json
from windtunnel.detect import report_markdown, report_terminal
from windtunnel.errors import DataError, ExitCode

FORMATS = ("terminal", "markdown", "json")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller(Generic[T]):
    """Reads one kind of file and tells what it says."""

    decode: Callable[[bytes, str], T]
    terminal: Callable[[T], str]
    markdown: Callable[[T], str]

    def tell(self, content: bytes, source: str, form: str) -> str:
        """Return what *content* says in *form*; the file is checked whole before anything is told."""
        value = self.decode(content, source)
        match form:
            case "json":
                return formats.encode_pretty(value).decode()
            case "markdown":
                return self.markdown(value)
            case _:
                return self.terminal(value)


TELLERS: Mapping[str, Callable[[bytes, str, str], str]] = {
    verdict.SCHEMA: Teller(
        decode=verdict_json.decode_report,
        terminal=verdict_terminal.render_terminal,
        markdown=verdict_markdown.render_markdown,
    ).tell,
    changes.SCHEMA: Teller(
        decode=changes_json.decode, terminal=report_terminal.terminal, markdown=report_markdown.markdown
    ).tell,
    claim_board.SCHEMA: Teller(
        decode=claims_json.decode, terminal=claims_terminal.terminal, markdown=claims_markdown.markdown
    ).tell,
}
"""By the schema that the file says it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headed:
    """Any file of ours, as far as all of them are alike."""

    schema: str


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:  # noqa: ARG001 - Main's signature
    """Print the report; exit code 0 whatever it says, for telling is no judging."""
    parser = Parser(
        "report",
        out=out,
        description="Tell in words what verdict.json, changes.json or claims.json says; "
        "markdown always fits a GitHub comment.",
        example="  windtunnel report verdict.json --format markdown >> $GITHUB_STEP_SUMMARY",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path("verdict.json"), metavar="FILE", help="default: %(default)s"
    )
    parser.add_argument("--format", choices=FORMATS, default="terminal", help="default: %(default)s")
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    content, source = _content(options.file), str(options.file)
    schema = formats.decode(content, Headed, source).schema
    if schema not in TELLERS:
        raise DataError(f"{source} has the schema {schema[:80]!r}; this version reads {', '.join(TELLERS)}")
    out.write(TELLERS[schema](content, source, options.format))
    return ExitCode.FINE


def read_verdict(path: Path) -> ComparisonReport:
    """Return the judgement in the file *path*; raises DataError."""
    return verdict_json.decode_report(_content(path), str(path))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(formats.LIMIT + 1)
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}; windtunnel compare, detect and claims write such files"
        ) from None

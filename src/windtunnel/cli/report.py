"""``windtunnel report``: prints one of the tool's files as text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from windtunnel import files, formats
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions
from windtunnel.compare import report_markdown as verdict_markdown
from windtunnel.compare import report_text as verdict_terminal
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.detect import report as changes_report
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.errors import DataError, ExitCode
from windtunnel.formats import Format

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Generic[T]):
    """How one kind of file is rendered."""

    form: Format[T]
    terminal: Callable[[T], str]
    markdown: Callable[[T], str]

    def render(self, content: bytes, source: str, style: str) -> str:
        """Return the report of *content* in *style*; the whole file is checked first."""
        value = self.form.decode(content, source)
        return self.markdown(value) if style == "markdown" else self.terminal(value)


RENDERERS: Mapping[str | int | None, Callable[[bytes, str, str], str]] = {
    VERDICT_FORMAT.schema: Report(
        form=VERDICT_FORMAT, terminal=verdict_terminal.render_terminal, markdown=verdict_markdown.render_markdown
    ).render,
    CHANGES_FORMAT.schema: Report(
        form=CHANGES_FORMAT, terminal=changes_report.render_terminal, markdown=changes_report.render_markdown
    ).render,
}
"""By the schema that the file names."""

GROUP = "windtunnel.reports"
"""The entry points of further reports: the name is the schema, the object a ``Report``."""

REMEDY = "write it with windtunnel compare or detect"


class ReportOptions(CommonOptions, frozen=True, kw_only=True):
    """Print the content of verdict.json or changes.json as text, or another file that a distribution can print.

    Markdown always fits a GitHub comment.

    example:
      windtunnel report verdict.json --format markdown >> $GITHUB_STEP_SUMMARY
    """

    file: Annotated[Path, Arg(positional=True)] = Path("verdict.json")
    """The file to print."""
    format: Literal["terminal", "markdown"] = "terminal"
    """The format of the text."""


def run(options: ReportOptions, console: Console, env: Mapping[str, str]) -> int:  # noqa: ARG001 - a command's signature
    """Print the report; exit code 0 for every verdict, because compare gates."""
    content, source = files.read_bytes(options.file, REMEDY), str(options.file)
    schema = formats.schema_of(content, source, remedy=REMEDY)
    further = (each.load().render for each in entry_points(group=GROUP, name=str(schema)))
    render = RENDERERS.get(schema) or next(further, None)
    if render is None:
        known = ", ".join(map(str, (*RENDERERS, *(each.name for each in entry_points(group=GROUP)))))
        raise DataError(f"{source} has the schema {schema!r:.80}, but this version reads {known}; {REMEDY}")
    console.print(render(content, source, options.format))
    return ExitCode.FINE

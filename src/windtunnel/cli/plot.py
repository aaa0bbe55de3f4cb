"""``windtunnel plot``: a benchmark's history, or its variants side by side, as an image."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from windtunnel import files
from windtunnel.cli.console import Console
from windtunnel.cli.locations import commit_order
from windtunnel.cli.options import Arg, File, Name
from windtunnel.cli.suite import SuiteOptions
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.run import CommitHistory, ResultsTree
from windtunnel.publish.plot import FORMATS, MAX_LINES, Plot, alternative, draw, plot_lines
from windtunnel.results.tree import read_tree


class PlotOptions(SuiteOptions, frozen=True, kw_only=True):
    """Draw one benchmark: its history with intervals and changes, or its newest values side by side.

    Needs an extra: pip install 'windtunnel[plot]'.

    example:
      windtunnel plot .asv/results sleep.Sleep.time_run --kind dots --out sleep.svg
    """

    results: Annotated[Path, Arg(positional=True)]
    """A results tree."""
    benchmark: Annotated[str, Arg(positional=True)]
    """The name of a benchmark."""
    out: File
    """Write the image here, as FILE.svg or FILE.png."""
    kind: Literal["history", "dots"] = "history"
    """What to draw: the history, or the newest values as dots."""
    changes: File | None = None
    """The output of windtunnel detect, to mark the changes."""
    branch: Name | None = None
    """The branch whose commits are read (default: the first of 'branches' that exists, else the default branch)."""

    def __post_init__(self) -> None:
        """Refuse a file whose name does not say the format; raises UsageError."""
        super().__post_init__()
        if self.format not in FORMATS:
            raise UsageError(f"--out {self.out} must end in .svg or .png")

    @property
    def format(self) -> str:
        """The format of the image, by the name of the file."""
        return self.out.suffix.removeprefix(".").lower()


def run(options: PlotOptions, console: Console, env: Mapping[str, str]) -> int:
    """Draw and write the image."""
    tree = read_tree(options.results)
    benchmark = _benchmark(tree, options.benchmark)
    history = commit_order(tree, options, options.branch, env, console)
    plot = _plot(options, tree, benchmark, history)
    if not plot.dots and len(plot.lines) > MAX_LINES:
        console.warn(f"the benchmark has {len(plot.lines)} cases; only the first {MAX_LINES} are drawn")
    write_atomically(options.out, draw(plot, options.format, alternative(plot)))
    console.log(f"see {options.out}")
    return ExitCode.FINE


def _plot(options: PlotOptions, tree: ResultsTree, benchmark: Benchmark, history: CommitHistory) -> Plot:
    measured = {run.commit for run in tree.runs}
    commits = [commit.hash for commit in history.commits if commit.hash in measured]
    changed = _changed(options.changes, benchmark)
    return Plot(
        title=benchmark.name,
        unit=benchmark.unit or "unit",
        lines=plot_lines(tree, benchmark, history),
        changes=tuple((at, each) for at, each in enumerate(commits) if each in changed),
        dots=options.kind == "dots",
    )


def _benchmark(tree: ResultsTree, name: str) -> Benchmark:
    for benchmark in tree.benchmarks:
        if benchmark.name == name:
            return benchmark
    near = [benchmark.name for benchmark in tree.benchmarks if name in benchmark.name][:3]
    hint = f"; did you mean {' or '.join(near)}?" if near else "; benchmarks.json lists the benchmarks"
    raise UsageError(f"the results have no benchmark {name!r}{hint}")


def _changed(path: Path | None, benchmark: Benchmark) -> set[str]:
    """Return the commits at which *benchmark* changed."""
    if path is None:
        return set()
    found = files.read(path, CHANGES_FORMAT)
    return {change.commit for change in found.changes if change.benchmark == benchmark.name}

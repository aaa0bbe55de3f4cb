"""``windtunnel plot``: a benchmark's history, or its variants side by side, as a picture."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from windtunnel import files
from windtunnel.cli.commit_order import Wanted, add_history, commit_order
from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.commit_history import CommitHistory
from windtunnel.model.run import ResultsTree
from windtunnel.publish.plot import FORMATS, MAX_LINES, Plot, draw, mark_changes, plot_lines
from windtunnel.results.tree import read_tree


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Draw and write the picture."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    voice = Voice.of(options, err)
    form = options.out.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise UsageError(f"{options.out} names no format; end it in .svg or .png")
    tree = read_tree(options.results)
    benchmark = _benchmark(tree, options.benchmark)
    history = commit_order(tree, Wanted(repository=options.repo, branch=options.branch), env, voice)
    plot = _plot(options, tree, benchmark, history)
    if not plot.dots and len(plot.lines) > MAX_LINES:
        voice.warn(f"{len(plot.lines)} lines; the first {MAX_LINES} are drawn")
    write_atomically(options.out, draw(plot, form))
    voice.say(f"see {options.out}")
    return ExitCode.FINE


def _plot(options: argparse.Namespace, tree: ResultsTree, benchmark: Benchmark, history: CommitHistory) -> Plot:
    measured = {run.commit for run in tree.runs}
    commits = [commit.hash for commit in history.commits if commit.hash in measured]
    return Plot(
        title=benchmark.name,
        unit=benchmark.unit or "unit",
        lines=plot_lines(tree, benchmark, history),
        changes=mark_changes(commits, _changed(options.changes, benchmark)),
        dots=options.kind == "dots",
    )


def _benchmark(tree: ResultsTree, name: str) -> Benchmark:
    for benchmark in tree.benchmarks:
        if benchmark.name == name:
            return benchmark
    near = [benchmark.name for benchmark in tree.benchmarks if name in benchmark.name][:3]
    hint = f"; do you mean {' or '.join(near)}" if near else ""
    raise UsageError(f"the results have no benchmark {name!r}{hint}? benchmarks.json lists them")


def _changed(path: Path | None, benchmark: Benchmark) -> tuple[str, ...]:
    if path is None:
        return ()
    return tuple(
        change.commit for change in files.read(path, CHANGES_FORMAT).changes if change.benchmark == benchmark.name
    )


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "plot",
        out=out,
        description="Draw one benchmark: its history with intervals and changes, or its newest values side by side.\n"
        "Needs the extra: pip install 'windtunnel[plot]'.",
        example="  windtunnel plot .asv/results sleep.Sleep.time_run --kind dots --out sleep.svg",
    )
    parser.add_argument("results", type=Path, metavar="RESULTS", help="a results tree")
    parser.add_argument("benchmark", metavar="BENCHMARK", help="the name of a benchmark")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the picture: FILE.svg or FILE.png")
    parser.add_argument("--kind", choices=("history", "dots"), default="history", help="what is drawn")
    parser.add_argument("--changes", type=Path, metavar="FILE", help="what windtunnel detect found, to be marked")
    add_history(parser)
    return parser

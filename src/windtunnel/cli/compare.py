"""``windtunnel compare``: is head slower than base? verdict.json, a report on stdout, the gate in the exit code."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from windtunnel import files
from windtunnel.asv import configuration
from windtunnel.cli.comparison_progress import Watch
from windtunnel.cli.comparison_request import add_strategy, request_of
from windtunnel.cli.comparison_setup import Desk, add_what, add_where
from windtunnel.cli.options import Parser, Voice, find_suite, parse
from windtunnel.cli.selection_options import find_repository
from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport, Overall
from windtunnel.compare.report_text import render_terminal
from windtunnel.compare.session import ENGINE_FAILED, INTERRUPTED, compare
from windtunnel.compare.shards import merge_shards
from windtunnel.compare.stored_runs import StoredCommit, compare_stored
from windtunnel.errors import ExitCode
from windtunnel.files import write_atomically
from windtunnel.model.settings import Expectation
from windtunnel.results.tree import read_tree
from windtunnel.text.escaping import visible

MOST_PROBLEMS = 20
"""Problems of results trees that are told one by one."""

EXAMPLE = """  windtunnel compare                                        HEAD against where it left the main branch
  windtunnel compare v1.2 HEAD --bench sqlite --budget 10     two commits, some cases, ten minutes
  windtunnel compare main HEAD --shard 1/4 --no-confirm       a quarter of the cases; suspects stay suspects
  windtunnel compare --only verdict.json --out verdict.json   measure those suspects afresh, here
  windtunnel compare --results base/results head/results --out verdict.json
  windtunnel compare 1a2b3c4 5d6e7f8 --results .asv/results .asv/results --no-gate
  windtunnel compare --shards shard-*/verdict.json --out verdict.json"""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Write the verdict and print its report; exit code 1 when regressed, 3 when nothing could be compared."""
    parser = _parser(out)
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    report = _judgement(options, err, env)
    write_atomically(options.out, VERDICT_FORMAT.encode(report))
    out.write(render_terminal(report))
    if INTERRUPTED in report.notes:
        return ExitCode.INTERRUPTED
    if report.overall is Overall.NOTHING_MEASURED and not _empty_part(options, report):
        err.write("windtunnel compare: nothing could be compared; the reasons are above\n")
        return ExitCode.DATA
    if ENGINE_FAILED in report.notes:
        err.write("windtunnel compare: measuring broke off; the reason is above\n")
        return ExitCode.DATA
    regressed = report.overall is Overall.REGRESSED and not options.no_gate
    return ExitCode.REGRESSED if regressed else ExitCode.FINE


def _empty_part(options: argparse.Namespace, report: ComparisonReport) -> bool:
    """Tell whether there are more parts than cases: one without any has done its work."""
    _, parts = options.shard
    return parts > 1 and report.coverage.planned == 0 and not report.failed


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "compare",
        out=out,
        description="Measure two commits, process by process in turn, and judge what became slower or faster.\n"
        "Writes verdict.json and prints a report. Ctrl-C judges what is measured by then.",
        example=EXAMPLE,
    )
    parser.add_argument(
        "base",
        nargs="?",
        default="",
        metavar="BASE",
        help="commit to compare with (default: where HEAD left the main branch)",
    )
    parser.add_argument("head", nargs="?", default="", metavar="HEAD", help="commit to judge (default: HEAD)")
    parser.add_argument(
        "--target", metavar="BRANCH", help="the branch that HEAD goes to (default: $GITHUB_BASE_REF, else the main one)"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--results", nargs=2, type=Path, metavar=("A", "B"), help="judge two stored results trees without measuring"
    )
    source.add_argument(
        "--shards", nargs="+", type=Path, metavar="FILE", help="merge the verdicts of one comparison's shards"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("verdict.json"), metavar="FILE", help="where to write (default: %(default)s)"
    )
    source.add_argument(
        "--only", type=Path, metavar="FILE", help="measure the suspects of this verdict.json afresh, nothing else"
    )
    add_where(parser)
    add_what(parser)
    add_strategy(parser)
    parser.add_argument("--no-gate", action="store_true", help="exit code 0 also when regressed")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="the asv configuration whose pyproject.toml sets thresholds"
    )
    return parser


def _judgement(options: argparse.Namespace, err: TextIO, env: Mapping[str, str]) -> ComparisonReport:
    if options.shards:
        return merge_shards([files.read(path, VERDICT_FORMAT) for path in options.shards])
    if options.results:
        return _judged(options, err)
    return _measured(options, err, env)


def _measured(options: argparse.Namespace, err: TextIO, env: Mapping[str, str]) -> ComparisonReport:
    """Measure what the options ask for; a confirmation is put together with the screening that it follows."""
    voice, suite = Voice.of(options, err), find_suite(options.config)
    repository = find_repository(suite, env, voice)
    screened = files.read(options.only, VERDICT_FORMAT) if options.only else None
    request = request_of(options, repository, screened, options.target or env.get("GITHUB_BASE_REF", ""))
    voice.say(f"base {request.base[:12]}, head {request.head[:12]}, order drawn with seed {request.seed}")
    if screened and not request.only:
        voice.say(f"{options.only} has no suspects: nothing to measure")
        return screened
    desk = Desk(suite=suite, repository=repository, env=env, voice=voice)
    with desk.work_dir.alone(), Watch(voice=voice) as watch:
        found = compare(request, desk.setting(options.python, watch))
    return merge_shards([screened, found]) if screened else found


def _judged(options: argparse.Namespace, err: TextIO) -> ComparisonReport:
    """Judge the stored results that the options name, and say what could not be used of them."""
    voice, trees = Voice.of(options, err), [read_tree(path) for path in options.results]
    problems = [problem for tree in trees for problem in tree.problems]
    for problem in problems[:MOST_PROBLEMS]:
        voice.warn(visible(str(problem), 400))
    if len(problems) > MOST_PROBLEMS:
        voice.warn(f"{len(problems) - MOST_PROBLEMS} more files or rows of the results could not be used")
    base, head = (
        StoredCommit(tree=tree, commit=commit, name=str(path))
        for tree, commit, path in zip(trees, (options.base, options.head), options.results, strict=True)
    )
    return compare_stored(base, head, _expectations(options.config))


def _expectations(given: Path | None) -> tuple[Expectation, ...]:
    """Return what the suite here expects; stored results may be judged far from any suite."""
    here = Path.cwd()
    if given or any((folder / name).is_file() for folder in (here, *here.parents) for name in configuration.NAMES):
        return find_suite(given).settings.expectations
    return ()

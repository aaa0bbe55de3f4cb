"""``windtunnel detect``: finds the commits at which the level of a benchmark changed."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from windtunnel import formats
from windtunnel.cli.cache_folder import add_cache
from windtunnel.cli.commit_order import Wanted, add_history, commit_order
from windtunnel.cli.feed_files import add_feeds, write_feeds
from windtunnel.cli.options import Parser, Voice, find_suite, nearest_suite, parse
from windtunnel.detect.detection import detect, detection_settings
from windtunnel.detect.feeds import FeedSource
from windtunnel.detect.format import DetectedChanges, Direction
from windtunnel.detect.report import count
from windtunnel.detect.series import DEFAULT_MIN_CHANGE
from windtunnel.errors import ExitCode
from windtunnel.files import write_atomically
from windtunnel.model.settings import Settings
from windtunnel.results.column_reading import default_cache, read_with_cache


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Write changes.json; exit code 0 also when there are regressions: detect informs, compare gates."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    voice = Voice.of(options, err)
    settings = detection_settings(_project(options.config), options.min_change, options.reference)
    points = read_with_cache(options.results, options.cache or default_cache(options.out), voice.warn).values
    for problem in points.tree.problems:
        voice.detail(f"left out: {problem}")
    order = commit_order(points.tree, Wanted(repository=options.repo, branch=options.branch), env, voice)
    found = detect(points, order, settings)
    write_atomically(options.out, formats.encode_pretty(found))
    if options.feeds:
        write_feeds(options.feeds, found, None, _publisher(options))
    for note in found.notes:
        voice.warn(note)
    voice.say(summary(found, options.out))
    return ExitCode.FINE


def summary(found: DetectedChanges, path: Path) -> str:
    """Return in a line what was found."""
    regressed = sum(change.direction is Direction.REGRESSED for change in found.changes)
    events, shifts = count(len(found.events), "event"), count(len(found.machine_shifts), "machine shift")
    return (
        f"{found.series} series over {found.commits} commits: {regressed} regressions and "
        f"{len(found.changes) - regressed} improvements in {events}, "
        f"{shifts}; see {path}"
    )


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "detect",
        out=out,
        description="Find the commits at which the level of a benchmark changed, and group them by cause.",
        example="  windtunnel detect .asv/results --out changes.json --repo . --min-change 0.05",
    )
    parser.add_argument("results", type=Path, metavar="RESULTS", help="a results tree")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where changes.json goes")
    add_history(parser)
    parser.add_argument(
        "--min-change",
        type=_share,
        metavar="SHARE",
        help=f"what matters, for all cases (default: what [tool.windtunnel] says of each, else {DEFAULT_MIN_CHANGE})",
    )
    parser.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="REGEX",
        help="benchmarks that only the machine can change; may be repeated, adds to reference-benchmarks",
    )
    add_feeds(parser)
    add_cache(parser)
    parser.add_argument("--config", type=Path, metavar="FILE", help="the asv configuration (default: here or above)")
    return parser


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share < 10:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; write 0.05 for 5 %")
    return share


def _publisher(options: argparse.Namespace) -> FeedSource:
    suite = find_suite(options.config) if options.config or nearest_suite(Path.cwd()) else None
    return FeedSource(project=suite.asv.project if suite else "project", site=options.site)


def _project(config: Path | None) -> Settings:
    """Return the project's settings; the defaults where there is no project, for results may stand alone."""
    return find_suite(config).settings if config or nearest_suite(Path.cwd()) else Settings()

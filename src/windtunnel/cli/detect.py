"""``windtunnel detect``: finds the commits at which the level of a benchmark changed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from windtunnel.cli.console import Console
from windtunnel.cli.locations import commit_order
from windtunnel.cli.options import Arg, File, Folder, Name
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, settings_of
from windtunnel.detect.detection import detect
from windtunnel.detect.format import CHANGES_FORMAT, DetectedChanges
from windtunnel.detect.level_cache import load_levels, save_levels
from windtunnel.detect.report import count, is_mostly_short, not_examined
from windtunnel.errors import ExitCode
from windtunnel.files import write_atomically
from windtunnel.model.build_change import newest_builds
from windtunnel.model.settings import Expectation, Settings
from windtunnel.results.column_reading import default_cache, read_with_cache
from windtunnel.results.tree import read_records


class DetectOptions(SuiteOptions, frozen=True, kw_only=True):
    """Find the commits at which the level of a benchmark changed, and group them by cause.

    example:
      windtunnel detect .asv/results --out changes.json --repo . --min-change 0.05
    """

    results: Annotated[Path, Arg(positional=True)]
    """A results tree."""
    out: File
    """Write changes.json here."""
    branch: Name | None = None
    """The branch whose commits are read (default: the first of 'branches' that exists, else the default branch)."""
    min_change: Annotated[float, Meta(ge=0, le=10), Arg(metavar="SHARE")] | None = None
    """The smallest relevant change of all cases, such as 0.05 for 5 % (default: [tool.windtunnel], else 0.03)."""
    cache: Folder | None = None
    """Keep what was read here, so that the next call is faster; commands can share a cache (default: beside --out)."""


def run(options: DetectOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write changes.json; exit code 0 also when there are regressions, because compare gates."""
    suite = find_optional_suite(options.config)
    settings = with_options(settings_of(suite), options)
    cache = options.cache or default_cache(options.out)
    points, known = read_with_cache(options.results, cache, console.warn), load_levels(cache)
    for problem in points.tree.problems:
        console.detail(f"left out: {problem}")
    history = commit_order(points.tree, options, options.branch, env, console)
    records, _ = read_records(options.results)
    builds = newest_builds(records, suite.asv.project if suite else "")
    found = detect(points, history, settings, known, builds)
    save_levels(cache, known)
    write_atomically(options.out, CHANGES_FORMAT.encode(found))
    for note in (*([not_examined(found)] if is_mostly_short(found) else []), found.advice, *found.notes):
        if note:
            console.warn(note)
    console.log(summary(found, options.out))
    return ExitCode.FINE


def with_options(project: Settings, options: DetectOptions) -> Settings:
    """Return the settings of *project* with what the *options* state for all cases."""
    change = options.min_change
    override = () if change is None else (Expectation(match="", threshold=change, instructions_threshold=change),)
    return replace(project, expect=(*override, *project.expect))


def summary(found: DetectedChanges, path: Path) -> str:
    """Return a line that counts what was found."""
    regressed = sum(change.direction == "regressed" for change in found.changes)
    events, shifts = count(len(found.events), "event"), count(len(found.machine_shifts), "machine shift")
    return (
        f"{found.series - found.too_short} series over {found.commits} commits: {regressed} regressions and "
        f"{len(found.changes) - regressed} improvements in {events}, {shifts}; see {path}"
    )

"""``windtunnel publish``: builds the site; and the search for changes."""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, TypeVar

from windtunnel import files
from windtunnel.asv.configuration import Configuration
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, File, Folder, Name
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, find_suite, open_repository, settings_of
from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT
from windtunnel.detect.alert_format import ALERTS_FORMAT
from windtunnel.detect.feeds import build_feeds
from windtunnel.detect.format import CHANGES_FORMAT, DetectedChanges
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.formats import Format
from windtunnel.git.history import find_order
from windtunnel.git.repository import Repository
from windtunnel.model.build_change import newest_builds
from windtunnel.model.run import history_by_date
from windtunnel.model.run_format import RunRecord
from windtunnel.publish.publisher import PublishRequest, publish
from windtunnel.publish.site_files import SitePart
from windtunnel.results.branch.listing import ALERTS, ERROR_RATES
from windtunnel.results.column_reading import default_cache
from windtunnel.results.columns import ResultsValues
from windtunnel.text.escaping import visible


def change_search(
    configuration: Configuration | None, repository: Repository | None, branch: str | None, cache: Path
) -> Callable[[ResultsValues, Sequence[RunRecord]], DetectedChanges]:
    """Return the function that detects changes; the folder *cache* keeps the levels of series for the next call."""

    def find_changes(values: ResultsValues, records: Sequence[RunRecord]) -> DetectedChanges:
        # Only sites without changes.json need them.
        from windtunnel.detect.detection import detect  # noqa: PLC0415
        from windtunnel.detect.level_cache import load_levels, save_levels  # noqa: PLC0415

        runs, configured = values.tree.runs, configuration.branches if configuration else ()
        history = history_by_date(runs)
        if repository is not None:
            history, _ = find_order(runs, lambda: repository, (branch,) if branch else configured)
        known = load_levels(cache)
        builds = newest_builds(records, configuration.asv.project if configuration else "")
        found = detect(values, history, settings_of(configuration), known, builds)
        save_levels(cache, known)
        return found

    return find_changes


T = TypeVar("T")

SITE = ".windtunnel/site"
"""The folder that ``make serve`` serves."""
GENERIC = frozenset({"", "results", ".asv", "asv", "benchmarks", "/"})
"""Names of folders that do not name a project."""


SITE_PARTS = "windtunnel.site"
"""The entry points of what other distributions add to a site: functions with the parameters of ``find_part``."""


class PublishOptions(SuiteOptions, frozen=True, kw_only=True):
    """Build a static site from asv results: scenarios, the history of every benchmark, changes, with intervals.

    The site is built beside the old one and then replaces it. When anything fails, the old site stays. Results need
    neither an asv configuration nor a repository: without one, commits are ordered by date.

    example:
      windtunnel publish .asv/results --out site
      python -m http.server --directory site
    """

    results: Annotated[Path, Arg(positional=True)] | None = None
    """asv's results (default: results_dir)."""
    branch: Name | None = None
    """The branch whose commits are read (default: the first of 'branches' that exists, else the default branch)."""
    out: Annotated[Path, Arg(metavar="SITE")] | None = None
    """The folder of the site, which is replaced (default: .windtunnel/site)."""
    cache: Folder | None = None
    """Keep what was read here, so that the next call is faster; commands can share a cache (default: beside --out)."""
    changes: File | None = None
    """The output of windtunnel detect (default: changes are detected now)."""
    claims: File | None = None
    """The output of windtunnel claims (default: the claims file of the suite is decided now)."""
    alerts: File | None = None
    """The alerts and their states (default: alerts.json of the results)."""


def run(options: PublishOptions, console: Console, env: Mapping[str, str]) -> int:
    """Publish and print the folder of the site."""
    suite = find_suite(options.config, env) if options.results is None else find_optional_suite(options.config)
    results = options.results or (suite.results_dir if suite else Path())
    branch, repository = options.branch, _repository(options, suite, console, env)
    out = options.out or (suite.folder if suite else Path.cwd()) / SITE
    cache = options.cache or default_cache(out.resolve())
    changes = files.read(options.changes, CHANGES_FORMAT) if options.changes else None
    alerts = options.alerts or results / ALERTS
    rates = _read(results / ERROR_RATES, ERROR_RATES_FORMAT, "error rates", console)
    _, notes = publish(
        PublishRequest(
            results=results,
            out=out,
            configuration=suite,
            repository=repository,
            branch=branch,
            log=console.log,
            find_changes=change_search(suite, repository, branch, cache) if changes is None else lambda *_: changes,
            build_feeds=build_feeds,
            claims=find_part(suite, results, console, file=options.claims),
            alerts=_read(alerts, ALERTS_FORMAT, "alerts", console, expected=options.alerts is not None),
            checked_runs=rates.runs if rates else (),
            cache=cache,
            name=_project(results.resolve().parts),
        )
    )
    for note in notes:
        console.warn(note)
    console.print(f"{out.resolve()}\n")
    return ExitCode.FINE


def find_part(
    suite: Configuration | None, results: Path, console: Console, *, file: Path | None = None
) -> SitePart | None:
    """Return what an installed distribution adds to the site of *results*; None without one.

    *file* is what its command wrote; without it, the distribution reads the results.
    """
    found = [each.load() for each in entry_points(group=SITE_PARTS)]
    if file and not found:
        raise UsageError("--claims needs the distribution windtunnel-claims; install it beside windtunnel")
    return next((part for each in found if (part := each(suite, results, console, file=file))), None)


def _repository(
    options: PublishOptions, suite: Configuration | None, console: Console, env: Mapping[str, str]
) -> Repository | None:
    """Return the repository of the project; None without a configuration outside of a repository."""
    if suite or options.repo or options.branch:
        return open_repository(options, suite, env, console)
    try:
        found = Repository.at(Path.cwd(), env)
    except UsageError:
        return None
    return found if found.has_commits() else None


def _project(parts: Sequence[str]) -> str:
    """Return the last of *parts* of a path that can be the name of a project."""
    named = (part for part in reversed(parts) if part.lower() not in GENERIC)
    return visible(next(named, "project"), 80)


def _read(path: Path, form: Format[T], what: str, console: Console, *, expected: bool = False) -> T | None:
    """Return *what* the file *path* holds, None without it; one that is broken, or *expected*, is reported."""
    try:
        return files.read(path, form) if expected or path.exists() else None
    except DataError as error:
        console.warn(f"the site shows no {what}: {visible(str(error), 400)}")
        return None

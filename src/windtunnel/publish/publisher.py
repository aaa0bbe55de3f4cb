"""The way from a results tree to a site."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from windtunnel.analysis.overview import Overview, overview
from windtunnel.configuration import Configuration
from windtunnel.errors import DataError, UsageError
from windtunnel.git import Commit, Repository
from windtunnel.measurement import CommitHash, ResultsTree
from windtunnel.measurement.changes import Changes
from windtunnel.measurement.claim_board import ClaimBoard
from windtunnel.publish.asv_data import AsvJob, build_asv_data, has_markup, read_raw
from windtunnel.publish.data_writer import DataWriter, load_ledger, store_ledger
from windtunnel.publish.detecting import detect_changes
from windtunnel.publish.feed_files import write_feeds
from windtunnel.publish.history import History, look_up, make_view, read_history
from windtunnel.publish.page import write_page
from windtunnel.publish.point_cache import load_cache, store_cache
from windtunnel.publish.point_reading import ResultsPoints, read_points
from windtunnel.publish.site_files import Findings, SiteContent, write_data
from windtunnel.publish.site_folder import replacing, require_replaceable
from windtunnel.publish.timeline import all_places, releases, timeline
from windtunnel.publish.value_table import needed_runs, value_table
from windtunnel.records import read_records
from windtunnel.report.notes import LeftOut, data_notes
from windtunnel.report.overview_data import Surroundings, overview_data
from windtunnel.report.site_data import CommitLine, Project

POINTS, LEDGER = "points", "ledger"
"""What is kept beside the site, so that the next one is built sooner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest:
    """What is to be published; *say* is told each step. With *asv_compatible* asv's data is beside ours.

    *changes*, *claims* and *alerts* are what other commands found; changes are detected where none are handed in.

    The folder *results* may hold run records (``records/*.json``), which tell why cases have no value.
    """

    results: Path
    out: Path
    configuration: Configuration
    repository: Repository
    env: Mapping[str, str]
    say: Callable[[str], None]
    asv_compatible: bool = False
    changes: Changes | None = None
    claims: ClaimBoard | None = None
    alerts: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The site that is there now; *notes* are what its page says of the data."""

    site: Path
    overview: Overview
    notes: tuple[str, ...]


def publish(request: PublishRequest) -> Published:
    """Build the site and put it in the place of the old one.

    Raises UsageError where the folders cannot be used so and DataError where the results cannot; either way what was
    published before stays as it is.
    """
    site = request.out.resolve()
    _require_apart(site, request)
    require_replaceable(site)
    if not request.results.is_dir():
        raise UsageError(f"{request.results} is no folder; name the folder with asv's results")
    request.say(f"reading {request.results}")
    cache = site.with_name(f".{site.name}.cache")
    points = read_points(request.results, load_cache(cache / POINTS))
    results = points.tree
    request.say(f"{len(results.runs)} runs, {points.read} files of them read anew")
    if not results.runs:
        raise DataError(f"{request.results} holds no results; measure something first: windtunnel bench")
    if not results.benchmarks:
        raise DataError(f"{request.results} has no usable benchmarks.json, which says what was timed; restore it")
    history = read_history(request.repository, request.configuration.branches)
    records, doubts = read_records(request.results)
    newest_first = [commit.hash for commit in history.commits]
    seen = overview(needed_runs(points, newest_first), newest_first, records)
    notes = (
        *history.notes,
        *data_notes(seen, _left_out(request, results, history)),
        *(f"{doubt[:1].upper()}{doubt[1:]}." for doubt in doubts),
    )
    content = _content(request, points, history, seen, notes)
    with replacing(site) as folder:
        writer = DataWriter(folder=folder, old=site, known=load_ledger(cache / LEDGER))
        write_data(content, writer)
        write_feeds(content, folder)
        write_page(overview_data(seen, _surroundings(request, seen, history, notes)), folder)
        if request.asv_compatible:
            request.say("letting asv make its data")
            _build_asv_data(request, results, history, folder)
    store_ledger(cache / LEDGER, writer.made)
    if points.read:
        store_cache(cache / POINTS, points.cache)
    return Published(site=site, overview=seen, notes=notes)


def _content(
    request: PublishRequest, points: ResultsPoints, history: History, seen: Overview, notes: tuple[str, ...]
) -> SiteContent:
    runs = points.tree.runs
    on_branches = {commit.hash for commit in history.commits}
    strays = {run.commit for run in runs} - on_branches
    elsewhere = {commit: found for commit in sorted(strays) if (found := look_up(request.repository, commit))}
    commits = timeline(runs, history.commits, elsewhere)
    places = all_places(runs)
    raw = read_raw(request.configuration.path)
    table = value_table(points, places, {each.hash: index for index, each in enumerate(commits)})
    changes = request.changes or detect_changes(request.results, request.repository, request.configuration.settings)
    return SiteContent(
        project=Project(name=request.configuration.project, url=_web_address(raw.get("project_url"))),
        commit_url=_web_address(raw.get("show_commit_url")),
        scenarios=len(seen.scenarios),
        tree=points.tree,
        table=table,
        commits=commits,
        places=places,
        releases=releases(request.repository.tags(), commits),
        findings=Findings(changes=changes, claims=request.claims, alerts=request.alerts),
        notes=notes,
    )


def _left_out(request: PublishRequest, results: ResultsTree, history: History) -> LeftOut:
    shown = {commit.hash for commit in history.commits}
    measured = tuple(dict.fromkeys(run.commit for run in results.runs))
    return LeftOut(
        branches=tuple(branch.name for branch in history.branches),
        commits=tuple(commit for commit in measured if commit not in shown),
        of_commits=len(measured),
        benchmarks=tuple(
            benchmark.name for benchmark in results.benchmarks if request.asv_compatible and has_markup(benchmark)
        ),
    )


def _build_asv_data(request: PublishRequest, results: ResultsTree, history: History, folder: Path) -> None:
    with TemporaryDirectory(prefix="windtunnel-publish-") as scratch:
        view = Path(scratch, "view.git")
        make_view(request.repository, history, view)
        job = AsvJob(
            configuration=request.configuration.path, results=results, history=history, view=view, env=request.env
        )
        build_asv_data(job, folder, Path(scratch))


def _require_apart(site: Path, request: PublishRequest) -> None:
    for what, path in (("results", request.results), ("repository", request.repository.root)):
        if path.resolve().is_relative_to(site):
            raise UsageError(
                f"{site} holds the {what} ({path}), which publishing would delete; name another with --out"
            )
    if site.is_relative_to(request.results.resolve()):
        raise UsageError(f"{site} lies inside the results, where asv would read it; name another with --out")


def _surroundings(request: PublishRequest, seen: Overview, history: History, notes: tuple[str, ...]) -> Surroundings:
    raw = read_raw(request.configuration.path)
    show = _web_address(raw.get("show_commit_url"))
    on_branches = {commit.hash for commit in history.commits}
    elsewhere = (commit for each in _used(seen) - on_branches if (commit := look_up(request.repository, each)))
    return Surroundings(
        project=Project(name=request.configuration.project, url=_web_address(raw.get("project_url"))),
        asv=None,
        commits=tuple(_line(commit, show) for commit in (*history.commits, *elsewhere)),
        notes=notes,
    )


def _used(seen: Overview) -> set[CommitHash]:
    commits = {each.place.commit for each in seen.coverage}
    commits |= {board.commit for scenario in seen.scenarios for board in scenario.boards}
    return commits | {reading.commit for listing in seen.listings for reading in listing.readings}


def _line(commit: Commit, show: str | None) -> CommitLine:
    return CommitLine(
        hash=commit.hash,
        subject=commit.subject,
        date=commit.author_date,
        url=None if show is None else show + commit.hash,
    )


def _web_address(value: object) -> str | None:
    return value if isinstance(value, str) and value.startswith(("https://", "http://")) else None

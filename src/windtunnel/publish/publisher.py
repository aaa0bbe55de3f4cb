"""The way from a results tree to a site."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from windtunnel.asv.configuration import Configuration, read_raw
from windtunnel.asv.project_repository import BranchHistory, look_up, make_view, read_history
from windtunnel.claims.format import ClaimBoard
from windtunnel.compare.format import FalseAlarms
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.format import DetectedChanges
from windtunnel.errors import DataError, UsageError
from windtunnel.git.process import Git
from windtunnel.git.repository import Repository
from windtunnel.model.run import ResultsTree
from windtunnel.model.target import all_targets
from windtunnel.publish.data_writer import DataWriter, load_ledger, store_ledger
from windtunnel.publish.feed_files import write_feeds
from windtunnel.publish.format.words import Project
from windtunnel.publish.front_page import page_surroundings, web_address, write_page
from windtunnel.publish.notes import LeftOut, data_notes
from windtunnel.publish.overview import Overview, overview
from windtunnel.publish.overview_data import overview_data
from windtunnel.publish.site_files import Findings, SiteContent, write_data
from windtunnel.publish.site_folder import replacing, require_replaceable
from windtunnel.publish.timeline import releases, timeline
from windtunnel.results.column_reading import cache_beside, kept_points
from windtunnel.results.columns import ResultsPoints
from windtunnel.results.tree import read_records
from windtunnel.results.value_table import needed_runs, value_table
from windtunnel.text.escaping import has_markup

LEDGER = "ledger"
"""What the files of a site were made from, kept so that the next one is built sooner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest:
    """What is to be published; *say* is told each step. With *asv_compatible* asv's data is beside ours.

    *changes*, *claims* and *alerts* are what other commands found, *arms* the A/A arms of verdicts. DetectedChanges are
    detected where none are handed in.

    The folder *results* may hold run records (``records/*.json``), which tell why cases have no value.
    """

    results: Path
    out: Path
    configuration: Configuration
    repository: Repository
    env: Mapping[str, str]
    say: Callable[[str], None]
    asv_compatible: bool = False
    changes: DetectedChanges | None = None
    claims: ClaimBoard | None = None
    alerts: Alerts | None = None
    arms: tuple[FalseAlarms, ...] = ()
    cache: Path | None = None
    """What was read and made is kept here; beside the site where nobody names a folder."""


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
    cache = request.cache or cache_beside(site)
    read = kept_points(request.results, cache, request.say)
    points, results = read.points, read.points.tree
    request.say(f"{len(results.runs)} runs, {read.new} files of them read anew")
    if not results.runs:
        raise DataError(f"{request.results} holds no results; measure something first: windtunnel bench")
    if not results.benchmarks:
        raise DataError(f"{request.results} has no usable benchmarks.json, which says what was timed; restore it")
    history = read_history(request.repository, request.configuration.asv.branches)
    records, doubts = read_records(request.results)
    newest_first = [commit.hash for commit in history.commits]
    board = request.configuration.settings.board
    seen = overview(needed_runs(points, newest_first), newest_first, records, board)
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
        around = page_surroundings(request.configuration, request.repository, seen, history)
        write_page(overview_data(seen, around), folder)
        if request.asv_compatible:
            request.say("making asv's data")
            _write_asv_data(request, points, history, folder)
    store_ledger(cache / LEDGER, writer.made)
    return Published(site=site, overview=seen, notes=notes)


def _content(
    request: PublishRequest, points: ResultsPoints, history: BranchHistory, seen: Overview, notes: tuple[str, ...]
) -> SiteContent:
    runs = points.tree.runs
    on_branches = {commit.hash for commit in history.commits}
    strays = {run.commit for run in runs} - on_branches
    elsewhere = {commit: found for commit in sorted(strays) if (found := look_up(request.repository, commit))}
    commits = timeline(runs, history.commits, elsewhere)
    places = all_targets(runs)
    raw = read_raw(request.configuration.path)
    table = value_table(points, places, {each.hash: index for index, each in enumerate(commits)})
    changes = request.changes or _detected(points, request)
    return SiteContent(
        project=Project(name=request.configuration.asv.project, url=web_address(raw.get("project_url"))),
        commit_url=web_address(raw.get("show_commit_url")),
        scenarios=len(seen.scenarios),
        tree=points.tree,
        table=table,
        commits=commits,
        places=places,
        releases=releases(request.repository.tags(), commits),
        findings=Findings(changes=changes, claims=request.claims, alerts=request.alerts, arms=request.arms),
        notes=notes,
    )


def _detected(points: ResultsPoints, request: PublishRequest) -> DetectedChanges:
    from windtunnel.publish.detected import detected  # noqa: PLC0415 - importing scipy takes a third of a second

    return detected(points, request.repository, request.configuration.settings)


def _left_out(request: PublishRequest, results: ResultsTree, history: BranchHistory) -> LeftOut:
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


def _write_asv_data(request: PublishRequest, points: ResultsPoints, history: BranchHistory, folder: Path) -> None:
    from windtunnel.asv.site_data import AsvJob, write_asv_data  # noqa: PLC0415 - importing asv takes half a second

    with TemporaryDirectory(prefix="windtunnel-publish-") as scratch:
        view = Path(scratch, "view.git")
        make_view(request.repository, history, view)
        job = AsvJob(
            configuration=read_raw(request.configuration.path),
            results=points.tree,
            history=history,
            view=Git(directory=view, env=request.repository.git.env),
            newest=points.newest,
        )
        write_asv_data(job, folder)


def _require_apart(site: Path, request: PublishRequest) -> None:
    kept = {"results": request.results, "repository": request.repository.root, "cache": request.cache or site.parent}
    for what, path in kept.items():
        if path.resolve().is_relative_to(site):
            raise UsageError(
                f"{site} holds the {what} ({path}), which publishing would delete; name another with --out"
            )
    if site.is_relative_to(request.results.resolve()):
        raise UsageError(f"{site} lies inside the results, where asv would read it; name another with --out")

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
from windtunnel.publish.asv_pages import AsvJob, build_asv_pages, has_markup, read_raw
from windtunnel.publish.history import History, look_up, make_view, read_history
from windtunnel.publish.page import write_page
from windtunnel.publish.site_folder import replacing, require_replaceable
from windtunnel.records import read_records
from windtunnel.report.notes import LeftOut, data_notes
from windtunnel.report.overview_data import Surroundings, overview_data
from windtunnel.report.site_data import CommitLine, Project
from windtunnel.tree import read_tree

ASV = "asv/"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest:
    """What is to be published; *say* is told each step. Without *asv_pages* the site is our page alone.

    The folder *results* may hold run records (``records/*.json``), which tell why cases have no value.
    """

    results: Path
    out: Path
    configuration: Configuration
    repository: Repository
    env: Mapping[str, str]
    say: Callable[[str], None]
    asv_pages: bool = True


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
    results = read_tree(request.results)
    if not results.runs:
        raise DataError(f"{request.results} holds no results; measure something first: windtunnel bench")
    if not results.benchmarks:
        raise DataError(f"{request.results} has no usable benchmarks.json, which says what was timed; restore it")
    history = read_history(request.repository, request.configuration.branches)
    records, doubts = read_records(request.results)
    seen = overview(results, [commit.hash for commit in history.commits], records)
    notes = (
        *history.notes,
        *data_notes(seen, _left_out(results, history)),
        *(f"{doubt[:1].upper()}{doubt[1:]}." for doubt in doubts),
    )
    with replacing(site) as folder:
        write_page(overview_data(seen, _surroundings(request, seen, history, notes)), folder)
        if request.asv_pages:
            request.say("building asv's own pages")
            _build_asv_pages(request, results, history, folder / ASV)
    return Published(site=site, overview=seen, notes=notes)


def _left_out(results: ResultsTree, history: History) -> LeftOut:
    shown = {commit.hash for commit in history.commits}
    measured = tuple(dict.fromkeys(run.commit for run in results.runs))
    return LeftOut(
        branches=tuple(branch.name for branch in history.branches),
        commits=tuple(commit for commit in measured if commit not in shown),
        of_commits=len(measured),
        benchmarks=tuple(benchmark.name for benchmark in results.benchmarks if has_markup(benchmark)),
    )


def _build_asv_pages(request: PublishRequest, results: ResultsTree, history: History, folder: Path) -> None:
    with TemporaryDirectory(prefix="windtunnel-publish-") as scratch:
        view = Path(scratch, "view.git")
        make_view(request.repository, history, view)
        job = AsvJob(
            configuration=request.configuration.path, results=results, history=history, view=view, env=request.env
        )
        build_asv_pages(job, folder, Path(scratch))


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
        asv=ASV if request.asv_pages else None,
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

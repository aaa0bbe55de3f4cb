"""Builds a site from a results tree."""

import html
import re
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from windtunnel import files, formats
from windtunnel.asv.configuration import Configuration, read_raw
from windtunnel.compare.error_rates_format import CheckedRun
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.format import DetectedChanges
from windtunnel.errors import ConfigurationError, DataError, UsageError
from windtunnel.git.history import BranchHistory, find_commit, read_branch_history
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import ResultsTree, history_by_date
from windtunnel.model.run_format import RunRecord
from windtunnel.model.settings import Settings
from windtunnel.model.target import Target, all_targets
from windtunnel.publish import reach_page
from windtunnel.publish.annotations import Annotation, parse_annotations, place_annotations
from windtunnel.publish.format.results import YEARS_FORMAT, OverviewData
from windtunnel.publish.format.site import CommitSummary, Project
from windtunnel.publish.overview import Overview, build_overview, data_notes
from windtunnel.publish.site_files import SiteContent, SitePart, write_data
from windtunnel.publish.site_folder import DATA_FILE, DataWriter, replace_site, require_replaceable
from windtunnel.publish.site_index import SiteCommit, releases, site_branches, timeline
from windtunnel.results.column_reading import default_cache, read_with_cache
from windtunnel.results.columns import ResultsValues, join_machines
from windtunnel.results.record_files import read_maps
from windtunnel.results.series_blocks import SeriesBlocks
from windtunnel.results.series_table import newest_pairs
from windtunnel.results.tree import read_records
from windtunnel.text.escaping import visible

PACKAGED = Path(__file__).parents[1] / "_site"
"""The pages in an installed wheel."""
CHECKOUT = Path(__file__).parents[3] / "site" / "page"
"""The pages in a checkout."""

BY_DATE = "Commits are ordered by date, without subjects and releases: no repository of the project was given (--repo)."


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest:
    """What to publish, and where."""

    results: Path
    """The folder of results. Its run records (``records/*.json``) have the Pythons and their packages."""
    out: Path
    """The folder of the site, which is replaced."""
    configuration: Configuration | None
    """None for results alone, which have the default settings."""
    repository: Repository | None
    """None where the project's repository is not known: commits are ordered by date."""
    log: Callable[[str], None]
    """Receives a line for each step."""
    find_changes: Callable[[ResultsValues, Sequence[RunRecord]], DetectedChanges]
    """Returns the changes in the values, with what run records know of their causes."""
    build_feeds: Callable[[DetectedChanges, Alerts | None, str], Mapping[str, bytes]]
    """Returns the feeds of a project by their path in the site."""
    branch: str | None = None
    """The branch to show; None for those of the configuration."""
    claims: SitePart | None = None
    alerts: Alerts | None = None
    checked_runs: tuple[CheckedRun, ...] = ()
    """Runs that compared a commit with itself."""
    cache: Path | None = None
    """The folder of the cache; beside the site by default."""
    name: str = "project"
    """The name of the project where no configuration has it."""

    @property
    def settings(self) -> Settings:
        """The settings of the suite, the defaults without one."""
        return self.configuration.settings if self.configuration else Settings()


def publish(request: PublishRequest) -> tuple[Overview, tuple[str, ...]]:
    """Build the site and replace the old one with it; return its overview, and sentences about what was left out.

    Raises UsageError where the folders cannot be used so, and DataError where the results cannot be used. Either way
    the old site stays as it is.
    """
    site = request.out.resolve()
    _require_apart(site, request)
    require_replaceable(site)
    if not request.results.is_dir():
        raise UsageError(f"{request.results} is not a folder; name the folder with asv's results")
    request.log(f"reading {request.results}")
    read = read_with_cache(request.results, request.cache or default_cache(site), request.log)
    values = join_machines(read, request.settings.machines)
    results = values.tree
    request.log(f"{len(results.runs)} runs; {read.new} new files were read")
    if not (results.runs or (request.claims and request.claims.is_measured)):
        raise DataError(f"{request.results} holds no results; run windtunnel bench first")
    if not results.benchmarks:
        raise DataError(f"{request.results} has no usable benchmarks.json and no row of results; measure once more")
    history = _branch_history(request, results)
    records, unreadable = read_records(request.results)
    newest_first = _newest_first(history, results)
    elsewhere = sorted({run.commit for run in results.runs} - {commit.hash for commit in history.commits})
    commits = timeline(results.runs, history, _look_up_all(request.repository, elsewhere))
    targets = all_targets(results.runs)
    blocks = SeriesBlocks(values, targets, {commit.hash: commit.branch for commit in commits})
    newest = _keep_newest_runs(values, targets, commits, blocks, newest_first)
    configuration, repository = request.configuration, request.repository
    raw = read_raw(configuration.path) if configuration else {}
    name = configuration.asv.project if configuration else request.name
    project, commit_url = (
        Project(name=name, url=web_address(raw.get("project_url"))),
        web_address(raw.get("show_commit_url")),
    )
    overview = build_overview(
        newest,
        newest_first,
        lambda needed: _summarise(needed, repository, history, commit_url),
        project,
        request.settings.board,
    )
    branches = [branch.name for branch in history.branches]
    reach, broken = _reach_page(request, name)
    notes = (
        *history.notes,
        *data_notes(results, overview.untried, branches, set(newest_first)),
        *(f"{text[:1].upper()}{text[1:]}." for text in (*unreadable, *broken)),
    )
    tagged = releases(repository.tags() if repository else (), commits, history)
    events, unplaced = place_annotations(_annotations(configuration), commits, tagged, records)
    changes, path = request.find_changes(values, records), request.settings.years
    years = files.read(configuration.folder / path, YEARS_FORMAT) if configuration and path else None
    content = SiteContent(
        project=project,
        commit_url=commit_url,
        board=request.settings.board,
        scenarios=len(overview.data.scenarios),
        tree=results,
        blocks=blocks,
        commits=commits,
        targets=targets,
        branches=site_branches(commits, branches),
        releases=tagged,
        events=events,
        changes=changes,
        claims=request.claims,
        alerts=request.alerts,
        checked_runs=request.checked_runs,
        notes=(*notes, *unplaced),
        untried=len(overview.untried),
        years=years,
        records=records,
    )
    claims = request.claims
    empty = {"claims": claims, "other": not claims, "years": years, "histories": commits, "reach": reach}
    with replace_site(site) as folder:
        write_data(content, DataWriter(folder=folder, old=site))
        for path, feed in request.build_feeds(changes, request.alerts, name).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(feed)
        write_pages(overview.data, folder, [part for part, found in empty.items() if not found])
        if reach:
            (folder / reach_page.PAGE).write_text(reach, encoding="utf-8")
    return overview, (*notes, *unplaced)


def _reach_page(request: PublishRequest, name: str) -> tuple[str, Sequence[str]]:
    """Return the page of functions that no benchmark runs, and problems of maps; empty without a map or its sources."""
    found, problems = read_maps(request.results)
    maps, repository = reach_page.newest_maps(found), request.repository
    if not (maps and repository and repository.has(maps[0].commit)):
        return "", problems
    suite = request.configuration.benchmark_dir.resolve() if request.configuration else repository.root
    root = repository.root.resolve()
    folders = reach_page.project_folders(maps, suite.relative_to(root).as_posix() if suite.is_relative_to(root) else "")
    functions = {
        path: tuple(reach_page.list_functions(source))
        for path, source in repository.sources(maps[0].commit, folders).items()
    }
    return reach_page.render_page(name, maps, functions), problems


def _annotations(configuration: Configuration | None) -> tuple[Annotation, ...]:
    """Return the events in the file that the settings name; raises ConfigurationError if it cannot be read."""
    if configuration is None or not configuration.settings.events:
        return ()
    path = configuration.folder / configuration.settings.events
    try:
        return parse_annotations(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error.strerror}; [tool.windtunnel] names it as 'events'"
        ) from None


def _keep_newest_runs(
    values: ResultsValues,
    targets: Sequence[Target],
    commits: Sequence[SiteCommit],
    blocks: SeriesBlocks,
    newest_first: Sequence[CommitHash],
) -> ResultsTree:
    """Return the tree of *values* with those runs alone that hold the newest result of some case at their target.

    Commits that are not in *newest_first* count as older than all of them.
    """
    known = set(newest_first)
    pairs = newest_pairs(blocks.table, np.array([commit.hash in known for commit in commits], bool))
    kept = {(targets[target].key, commits[commit].hash) for target, commit in pairs}
    runs = (run for run in values.tree.runs if ((run.machine, run.environment.name), run.commit) in kept)
    return replace(values.tree, runs=tuple(runs))


def _branch_history(request: PublishRequest, results: ResultsTree) -> BranchHistory:
    """Return the history of the project's branches; an empty one with a note where the repository is not known.

    Without a configuration the repository is a guess, so it counts only if it has one of the measured commits.
    """
    if request.repository is not None:
        configured = request.configuration.branches if request.configuration else ()
        history = read_branch_history(request.repository, configured, request.branch)
        known = {commit.hash for commit in history.commits}
        if request.configuration or request.branch or any(run.commit in known for run in results.runs):
            return history
    return BranchHistory(branches=(), commits=(), branch_of={}, notes=(BY_DATE,))


def _newest_first(history: BranchHistory, results: ResultsTree) -> list[CommitHash]:
    """Return the commits of *history*, those of *results* by date where there is no branch."""
    if history.branches:
        return [commit.hash for commit in history.commits]
    return [commit.hash for commit in reversed(history_by_date(results.runs).commits)]


def _look_up_all(repository: Repository | None, commits: list[CommitHash]) -> dict[CommitHash, Commit]:
    """Return those of *commits* that *repository* has."""
    if repository is None:
        return {}
    return {commit: found for commit in commits if (found := find_commit(repository, commit))}


def _summarise(
    needed: Sequence[CommitHash], repository: Repository | None, history: BranchHistory, commit_url: str | None
) -> tuple[CommitSummary, ...]:
    """Return the commits *needed*: those of the history, newest first, those elsewhere, and those that git lacks."""
    known = {commit.hash: commit for commit in history.commits if commit.hash in needed}
    known |= _look_up_all(repository, [each for each in needed if each not in known])
    return tuple(
        CommitSummary(
            hash=each,
            subject=known[each].subject if each in known else None,
            date=known[each].author_date if each in known else None,
            url=f"{commit_url}{each}" if commit_url and each in known else None,
        )
        for each in dict.fromkeys((*known, *needed))
    )


def web_address(value: object) -> str | None:
    """Return *value* where it is a web address, None otherwise."""
    return value if isinstance(value, str) and value.startswith(("https://", "http://")) else None


BRAND = "PROJECT"
"""Stands in index.html for the name of the project."""
MAX_NAME = 40
"""Characters of the name in the head of a page."""
PART = re.compile(r'^ *<li data-part="(\w+)">.*\n|<a data-part="(\w+)".*?</a> · ', re.MULTILINE)
"""An entry of the navigation, a line of index.html; or a link in its foot."""


def write_pages(data: OverviewData, folder: Path, empty: Collection[str]) -> None:
    """Copy the pages into *folder*, which exists, without the *empty* parts in the navigation; write overview.json."""
    source = PACKAGED if PACKAGED.is_dir() else CHECKOUT
    if not (source / "index.html").is_file():
        raise DataError(f"the pages of the site are not in {source}; install windtunnel again")
    shutil.copytree(source, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    page = (folder / "index.html").read_text(encoding="utf-8")
    shown = PART.sub(lambda entry: "" if (entry[1] or entry[2]) in empty else entry[0], page)
    shown = shown.replace(BRAND, html.escape(visible(data.project.name, MAX_NAME)))
    (folder / "index.html").write_text(shown, encoding="utf-8")
    (folder / DATA_FILE).write_bytes(formats.encode(data))


def _require_apart(site: Path, request: PublishRequest) -> None:
    needed = {"results": request.results, "cache": request.cache or site.parent}
    if request.repository is not None:
        needed["repository"] = request.repository.root
    for name, path in needed.items():
        if path.resolve().is_relative_to(site):
            raise UsageError(
                f"{site} holds the {name} ({path}), which publishing would delete; name another folder with --out"
            )
    if site.is_relative_to(request.results.resolve()):
        raise UsageError(f"{site} is inside the results, where asv would read it; name another folder with --out")

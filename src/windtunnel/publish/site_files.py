"""Writes all data files of a site."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any

from msgspec.structs import replace

from windtunnel.compare.error_rates_format import CheckedRun
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.format import DetectedChanges
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.run import ResultsTree
from windtunnel.model.run_format import RunRecord
from windtunnel.model.settings import BoardSettings
from windtunnel.model.target import Target
from windtunnel.publish import run_factors, series_files, site_index
from windtunnel.publish.badges import changes_badge, error_badge, summarise
from windtunnel.publish.change_files import alerts_data, change_files, chart_files, event_charts, run_marks
from windtunnel.publish.format import site as data
from windtunnel.publish.format.changes import ChartData, MarksData, RunMark
from windtunnel.publish.format.error_rates import ErrorRatesData
from windtunnel.publish.format.results import YearsData
from windtunnel.publish.site_folder import DataWriter
from windtunnel.results.series_blocks import BLOCK_SIZE, SeriesBlocks
from windtunnel.results.series_table import SeriesTable, distinct_pairs

SITE, BENCHMARKS, RUNS = "site.json", "data/benchmarks.json.gz", "data/runs.json.gz"
CHANGES, CLAIMS, ALERTS = "data/changes.json", "data/claims.json.gz", "data/alerts.json"
PUBLISHED = "data/published-claims.json.gz"
YEARS = "data/years.json.gz"
MARKS, FACTORS, CHARTS = "data/marks.json.gz", "data/factors.json.gz", "data/charts/"
THREADS = 2
"""One file is compressed and written while the next is built."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePart:
    """What another distribution adds to a site: the data of its page, and what else shows of them."""

    data: Any
    """The content of the file of its page."""
    published: Any = None
    """The same, measured elsewhere; None for nothing."""
    summary: Any
    """What the first page shows."""
    is_measured: bool
    """Whether there is something to show without any other result."""
    headline: str
    """What ``windtunnel bench`` prints first; empty for nothing."""
    report: str
    """What it prints after the figures."""
    next: tuple[tuple[str, str, str], ...] = ()
    """What it prints last: what to do next in words, the command, how long it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteContent:
    """What a site is built from."""

    project: data.Project
    commit_url: str | None
    board: BoardSettings | None
    scenarios: int
    tree: ResultsTree
    blocks: SeriesBlocks
    commits: tuple[site_index.SiteCommit, ...]
    targets: tuple[Target, ...]
    releases: tuple[data.Release, ...]
    branches: Mapping[str, data.SiteBranch]
    """By their names in git."""
    changes: DetectedChanges
    claims: SitePart | None = None
    alerts: Alerts | None = None
    checked_runs: tuple[CheckedRun, ...] = ()
    """Runs that compared a commit with itself."""
    notes: tuple[str, ...] = ()
    untried: int = 0
    """Benchmarks of the suite without any result."""
    events: tuple[RunMark, ...] = ()
    """Events that people wrote down, oldest first."""
    years: YearsData | None = None
    records: tuple[RunRecord, ...] = ()
    """What ran the benchmarks: Pythons and their packages."""

    @property
    def table(self) -> SeriesTable:
        """All series: older values are summaries, but the newest value of a series never is."""
        return self.blocks.table


def write_data(content: SiteContent, writer: DataWriter) -> None:
    """Write every data file except overview.json."""
    benchmarks = series_files.benchmarks_with_values(content.table, content.tree.benchmarks)
    _write_series(content, benchmarks, writer)
    commits = tuple(site_index.commit_files(content.commits, content.branches))
    for path, part in commits:
        writer.write_again(path, part)
    changed = content.changes.changes
    factors = run_factors.run_factors(content.table, benchmarks, changed, content.commits, content.targets)
    listed = site_index.benchmarks_data(content.table, benchmarks, content.blocks.measured(), factors)
    moved = run_factors.factors_data(content.table, factors)
    if moved is not None:
        writer.write_again(FACTORS, moved)
    writer.write_again(BENCHMARKS, listed)
    writer.write_again(RUNS, series_files.runs_data(content.blocks, content.targets, benchmarks))
    found = run_marks(content.changes, content.records, content.commits, content.targets, content.project.name)
    marks = (*content.events, *found)
    charts = event_charts(content.changes, content.commits, content.targets, content.releases, marks)
    for path, file in chart_files(charts):
        writer.write_again(path, file)
    writer.write_again(MARKS, MarksData(schema="windtunnel.marks/1", marks=marks))
    head, groups, parts = change_files(content.changes, content.alerts, [each.name for each in benchmarks])
    for path, rest in parts.items():
        writer.write_again(path, rest)
    writer.write(CHANGES, head)
    if content.claims is not None:
        writer.write_again(CLAIMS, content.claims.data)
        if content.claims.published is not None:
            writer.write_again(PUBLISHED, content.claims.published)
    if content.years is not None:
        writer.write_again(YEARS, content.years)
    if content.alerts is not None:
        writer.write(ALERTS, alerts_data(content.alerts))
    files = data.DataFiles(
        commits=tuple(path for path, _ in commits),
        benchmarks=BENCHMARKS,
        runs=RUNS,
        changes=CHANGES,
        benchmark_changes=groups,
        claims=CLAIMS if content.claims is not None else None,
        published_claims=PUBLISHED if content.claims and content.claims.published is not None else None,
        alerts=ALERTS if content.alerts is not None else None,
        marks=MARKS,
        factors=FACTORS if moved is not None else None,
        charts=CHARTS,
        years=YEARS if content.years is not None else None,
    )
    rates = summarise(content.checked_runs)
    (writer.folder / "badge.svg").write_text(changes_badge(content.changes), encoding="utf-8")
    (writer.folder / "false-alarms.svg").write_text(error_badge(rates), encoding="utf-8")
    newest = run_factors.change_map(content.table, factors, changed, content.commits)
    writer.write(SITE, replace(_site(content, listed, files, rates, charts), map=newest))


def _write_series(content: SiteContent, benchmarks: Sequence[Benchmark], writer: DataWriter) -> None:
    blocks = content.blocks
    histories = series_files.history_files(blocks, benchmarks, _changed(content))
    parts = (series_files.part_files(blocks, block, content.targets) for block in blocks.blocks)
    with ThreadPoolExecutor(THREADS) as pool:
        running = deque[Future[None]]()
        for file in chain(histories, chain.from_iterable(parts)):
            if not writer.link(file.path, file.digest):
                running.append(pool.submit(_write_file, file, file.read(), writer))
            if len(running) > THREADS:  # more would hold the values of all files in memory
                running.popleft().result()
        for each in running:
            each.result()


def _write_file(file: series_files.SeriesFile, rows: SeriesTable, writer: DataWriter) -> None:
    writer.write_compressed(file.path, file.digest, file.encode(rows))


def _changed(content: SiteContent) -> dict[BenchmarkName, dict[CommitHash, int]]:
    """Return the commits at which each benchmark changed, by hash with their indices."""
    order = {each.hash: index for index, each in enumerate(content.commits)}
    found = defaultdict[BenchmarkName, dict[CommitHash, int]](dict)
    for change in content.changes.changes:
        if change.commit in order:
            found[change.benchmark][change.commit] = order[change.commit]
    return found


def _site(
    content: SiteContent,
    listed: data.BenchmarksData,
    files: data.DataFiles,
    rates: ErrorRatesData | None,
    charts: Mapping[str, Sequence[ChartData]],
) -> data.SiteData:
    names = {each.name: each.param_names for each in content.tree.benchmarks}
    alerts = site_index.alert_summaries(content.alerts.alerts if content.alerts else ())
    return data.SiteData(
        schema="windtunnel.site/1",
        project=content.project,
        commit_url=content.commit_url,
        confidence=series_files.CONFIDENCE,
        commits=len(content.commits),
        benchmarks=len(listed.name),
        scenarios=content.scenarios,
        board=content.board,
        newest=_newest(content),
        targets=site_index.site_targets(content.table, content.targets, content.blocks.measured()),
        dates=tuple(each.commit.author_date if each.commit else None for each in content.commits[::BLOCK_SIZE]),
        branches=tuple(content.branches.values()),
        releases=content.releases,
        machines=tuple(
            data.MachineData(name=each.name, details=tuple((field.name, field.text) for field in each.details))
            for each in content.tree.machines
        ),
        health=_health(content, listed),
        error_rates=rates,
        recent=_named(
            site_index.recent_changes(content.changes, charts, alerts, content.targets, content.commits), names
        ),
        faster=_named(site_index.newest_improvements(content.changes, content.targets, content.commits), names),
        changes=len(content.changes.events),
        claims=content.claims and content.claims.summary,
        files=files,
        notes=content.notes,
    )


def _named(
    changes: Iterable[data.RecentChange], names: Mapping[BenchmarkName, tuple[str, ...]]
) -> tuple[data.RecentChange, ...]:
    """Return *changes* with the *names* of their parameters."""
    return tuple(replace(each, param_names=names.get(BenchmarkName(each.benchmark), ())) for each in changes)


def _newest(content: SiteContent) -> data.CommitSummary | None:
    if not content.commits:
        return None
    last = content.commits[-1]
    known, prefix = last.commit, content.commit_url
    return data.CommitSummary(
        hash=last.hash,
        subject=known.subject if known else None,
        date=known.author_date if known else None,
        url=f"{prefix}{last.hash}" if prefix else None,
    )


def _health(content: SiteContent, listed: data.BenchmarksData) -> data.Health:
    dates = [each.commit.author_date for each in content.commits if each.commit]
    members = {change.id: change for change in content.changes.changes}
    return data.Health(
        series=len(distinct_pairs(content.table.case, content.table.target)),
        stale=sum(each > 0 for each in listed.stale),
        newest=content.changes.newest_result // 1000 or (dates[-1] if dates else None),
        untried=content.untried,
        open_regressions=sum(site_index.count_open(event, members) > 0 for event in content.changes.events),
    )

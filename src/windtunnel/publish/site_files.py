"""All files of data of a site."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from windtunnel.claims.format import ClaimBoard
from windtunnel.compare.format import FalseAlarms
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.format import DetectedChanges
from windtunnel.detect.health import count_retracted
from windtunnel.model.run import ResultsTree
from windtunnel.model.target import Target
from windtunnel.publish.badge import badge, badge_svg
from windtunnel.publish.data_writer import DataWriter
from windtunnel.publish.format.front import Files, Health, MachineData, Release, SiteData, SitePlace
from windtunnel.publish.format.lists import BenchmarksData
from windtunnel.publish.format.words import CommitLine, Project
from windtunnel.publish.recent_changes import recent_changes
from windtunnel.publish.series_files import CONFIDENCE, benchmark_drafts, block_drafts, runs_data
from windtunnel.publish.site_index import benchmarks_data, commit_files, site_places
from windtunnel.publish.timeline import TimedCommit
from windtunnel.results.value_table import ValueTable, distinct

SITE, BENCHMARKS, RUNS = "site.json", "data/benchmarks.json", "data/runs.json"
THREADS = 2
"""One file is compressed and written while the next is made."""
CHANGES, CLAIMS, ALERTS = "data/changes.json", "data/claims.json", "data/alerts.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What other commands found in the results; *arms* are the A/A arms of verdicts."""

    changes: DetectedChanges
    claims: ClaimBoard | None = None
    alerts: Alerts | None = None
    arms: tuple[FalseAlarms, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteContent:
    """What a site is made of."""

    project: Project
    commit_url: str | None
    scenarios: int
    tree: ResultsTree
    table: ValueTable
    commits: tuple[TimedCommit, ...]
    places: tuple[Target, ...]
    releases: tuple[Release, ...]
    findings: Findings
    notes: tuple[str, ...]


def write_data(content: SiteContent, writer: DataWriter) -> None:
    """Write every file of data."""
    table, found = content.table, content.findings
    drafts = (*benchmark_drafts(table), *block_drafts(table, content.places))
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(lambda draft: writer.write_draft(draft, table), drafts):
            pass
    commits = tuple(commit_files(content.commits))
    for path, part in commits:
        writer.write(path, part)
    listed = benchmarks_data(table)
    writer.write(BENCHMARKS, listed)
    writer.write(RUNS, runs_data(table, content.places))
    optional = ((CHANGES, _without_courses(found.changes)), (CLAIMS, found.claims), (ALERTS, found.alerts))
    for path, value in optional:
        if value is not None:
            writer.write(path, value)
    files = Files(
        commits=tuple(path for path, _ in commits),
        benchmarks=BENCHMARKS,
        runs=RUNS,
        changes=CHANGES,
        claims=CLAIMS if found.claims is not None else None,
        alerts=ALERTS if found.alerts is not None else None,
    )
    shown = badge(found.changes)
    writer.write("badge.json", shown)
    (writer.folder / "badge.svg").write_text(badge_svg(shown), encoding="utf-8")
    writer.write(SITE, _site(content, listed, files))


def _without_courses(changes: DetectedChanges) -> DetectedChanges:
    """Return *changes* without what the histories beside them show anyway."""
    return replace(
        changes,
        events=tuple(replace(event, course=None) for event in changes.events),
        common_mode=tuple(replace(mode, course=None) for mode in changes.common_mode),
    )


def _site(content: SiteContent, listed: BenchmarksData, files: Files) -> SiteData:
    places = site_places(content.table, content.places)
    return SiteData(
        schema="windtunnel.site/1",
        project=content.project,
        commit_url=content.commit_url,
        confidence=CONFIDENCE,
        commits=len(content.commits),
        benchmarks=len(listed.name),
        scenarios=content.scenarios,
        newest=_newest(content),
        places=places,
        releases=content.releases,
        machines=tuple(
            MachineData(name=each.name, details=tuple((field.name, field.text) for field in each.details))
            for each in content.tree.machines
        ),
        health=_health(content, listed, places),
        recent=recent_changes(content.findings.changes, content.table, content.places, content.commits),
        files=files,
        notes=content.notes,
    )


def _newest(content: SiteContent) -> CommitLine | None:
    if not content.commits:
        return None
    last = content.commits[-1]
    known, prefix = last.commit, content.commit_url
    return CommitLine(
        hash=last.hash,
        subject=known.subject if known else None,
        date=known.author_date if known else None,
        url=f"{prefix}{last.hash}" if prefix else None,
    )


def _health(content: SiteContent, listed: BenchmarksData, places: Sequence[SitePlace]) -> Health:
    table = content.table
    dates = [each.commit.author_date for each in content.commits if each.commit]
    newest = dates[-1] if dates else None
    alerts, arms = content.findings.alerts, content.findings.arms
    comparisons = sum(arm.comparisons for arm in arms)
    return Health(
        series=len(distinct(table.series, table.place)),
        stale=sum(each > 0 for each in listed.stale),
        failing=sum(place.failed for place in places),
        newest=newest,
        alarm_rate=sum(arm.alarms for arm in arms) / comparisons if comparisons else None,
        comparisons=comparisons,
        taken_back=count_retracted(alerts, newest * 1000) if alerts is not None and newest is not None else None,
    )

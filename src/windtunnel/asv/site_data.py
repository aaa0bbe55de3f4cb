"""Writes the data that ``asv publish`` writes, for front ends and links that expect it.

asv is a library here: its own classes build its graphs, steps and lists, so these are equal. Only its slow part is
replaced: reading all results three times.
"""

import contextlib
import html
import io
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from asv.config import Config
from asv.plugins.regressions import Regressions
from asv.plugins.summarygrid import SummaryGrid
from asv.plugins.summarylist import SummaryList
from asv.util import UserError

from windtunnel.asv.project_repository import BranchHistory
from windtunnel.asv.results_format.suite_files import entry_of
from windtunnel.asv.site_graphs import Graphs, NumberedCommits, build_graphs, find_steps, revisions_of
from windtunnel.errors import DataError
from windtunnel.git.process import Git
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.run import Machine, ResultsTree
from windtunnel.text.escaping import has_markup

VERSION = "0.6.6"
"""The version of asv whose data this is."""
PAGES = tuple((page.name, page.button_label, page.description) for page in (SummaryGrid, SummaryList, Regressions))


@dataclass(frozen=True, slots=True, kw_only=True)
class AsvJob:
    """The input of asv's data."""

    configuration: Mapping[str, Any]
    """All keys of asv.conf.json."""
    results: ResultsTree
    history: BranchHistory
    view: Git
    """A repository with that history alone."""
    newest: int
    """When the newest result was started, in milliseconds since 1970: the date of the data."""


def write_asv_data(job: AsvJob, folder: Path) -> None:
    """Write asv's data into *folder*; raises DataError where asv rejects the configuration or the results."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # asv prints its progress
            _write(job, folder)
    except (UserError, re.error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DataError(
            f"asv's data cannot be built: {type(error).__name__}: {error}; fix asv.conf.json (regressions_thresholds, "
            "regressions_first_commits) or the results, or leave out --asv-compatible; the old site is unchanged"
        ) from error
    except OSError as error:  # asv takes the name of a benchmark as that of a file
        raise DataError(
            f"asv's data cannot be written: {error}; shorten the benchmark's name, or leave out --asv-compatible; "
            "the old site is unchanged"
        ) from error


def _write(job: AsvJob, folder: Path) -> None:
    settings = Config.from_json({**job.configuration, "repo": ".", "branches": [b.name for b in job.history.branches]})
    settings.html_dir = str(folder)
    tags = _tags(job.view)
    dates = {run.commit: run.date for run in job.results.runs} | {tag.commit: tag.date for tag in tags}
    commits = NumberedCommits(
        revisions=revisions_of(job.view, frozenset(dates)),
        branches={b.name: frozenset(_first_parents(job.view, b.head)) for b in job.history.branches},
        tagged=frozenset(tag.commit for tag in tags),
    )
    benchmarks = {each.name: each for each in job.results.benchmarks if not has_markup(each)}
    entries = {name: _entry(each) for name, each in benchmarks.items()}
    drawn = build_graphs(job.results.runs, benchmarks.values(), commits)
    find_steps(drawn.graphs, len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1)
    drawn.graphs.save(str(folder))
    for page in (SummaryGrid, SummaryList, _Regressions):
        page.publish(settings, _View(job.view), entries, drawn.graphs, commits.revisions)
    index = _index(settings, drawn, entries, commits, dates)
    index["tags"] = {tag.name: commits.revisions[tag.commit] for tag in tags}
    index["machines"] = {each.name: _machine(each) for each in job.results.machines}
    _store(folder / "index.json", index)
    _store(folder / "info.json", {"asv-version": VERSION, "timestamp": job.newest})


def _index(
    settings: Config,
    drawn: Graphs,
    entries: Mapping[BenchmarkName, Any],
    commits: NumberedCommits,
    dates: Mapping[CommitHash, int],
) -> dict[str, Any]:
    return {
        "project": settings.project,
        "project_url": settings.project_url,
        "show_commit_url": settings.show_commit_url,
        "hash_length": settings.hash_length,
        "revision_to_hash": {number: commit for commit, number in commits.revisions.items()},
        "revision_to_date": {number: dates[commit] for commit, number in commits.revisions.items()},
        "params": {**drawn.parameters, "branch": list(commits.branches)},
        "graph_param_list": drawn.combinations,
        "benchmarks": entries,
        "pages": PAGES,
    }


class _Regressions(Regressions):  # type: ignore[misc]  # asv ships no types
    """asv's list of regressions, without its feed, which the site has."""

    @classmethod
    def _save_feed(cls, *_: object) -> None:
        pass


@dataclass(frozen=True, slots=True)
class _View:
    """The methods of a repository that asv calls while it finds regressions."""

    git: Git

    def get_range_spec(self, one: str, other: str) -> str:
        return f"{one}..{other}"

    def get_new_range_spec(self, commit: str, branch: str) -> str:
        return f"{commit}..{branch}"

    def get_hashes_from_range(self, revisions: str) -> list[CommitHash]:
        return _first_parents(self.git, revisions)

    def get_hash_from_name(self, name: str) -> str:
        return self.git.text("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")


def _first_parents(git: Git, revisions: str) -> list[CommitHash]:
    listed = git.text("rev-list", "--first-parent", "--end-of-options", revisions, "--").splitlines()
    return [CommitHash(line) for line in listed]


class _Tag(NamedTuple):
    name: str
    commit: CommitHash
    date: int
    """The author's, in milliseconds since 1970."""


def _tags(view: Git) -> list[_Tag]:
    """Return the tags of commits."""
    form = "--format=%(objectname) %(authordate:unix) %(refname:strip=2)"
    lines = view.text("for-each-ref", form, "refs/tags").splitlines()
    found = (line.split(" ", 2) for line in lines)
    return [_Tag(name, CommitHash(commit), int(date) * 1000) for commit, date, name in found]


def _entry(benchmark: Benchmark) -> dict[str, Any]:
    """Return the entry of *benchmark* for asv's pages, which read its source as markup."""
    entry = entry_of(benchmark)
    return entry | {"code": html.escape(entry["code"])}


def _machine(machine: Machine) -> dict[str, Any]:
    return {detail.name: json.loads(detail.json) for detail in machine.details} | {
        "machine": machine.name,
        "version": 1,
    }


def _store(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")

"""Detects the relevant changes in a results tree and groups them by cause."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from windtunnel.asv.results_format.rows import SHORT
from windtunnel.detect.candidate_change import CandidateChange, case_of, group_by_cause
from windtunnel.detect.change_builder import ChangeBuilder
from windtunnel.detect.format import SCHEMA, DetectedChanges, SkippedSeries, VersionStart, part_of
from windtunnel.detect.levels import MIN_POINTS, SeriesLevels, find_levels
from windtunnel.detect.machine_shift import find_target_shifts, split_explained
from windtunnel.detect.series import Series, collect_series
from windtunnel.detect.steps import find_creeps, find_steps
from windtunnel.model.build_change import Builds
from windtunnel.model.identity import BenchmarkName, CommitHash, MachineName
from windtunnel.model.run import CommitHistory
from windtunnel.model.settings import Settings
from windtunnel.results.columns import HOSTED_RUNNERS, ResultsValues, join_machines
from windtunnel.stats.level_shifts import KnownLevels
from windtunnel.text import numbers

MAX_NAMED = 5
"""Commits or benchmarks that a note names."""
MOST = 0.5
"""The share of values above which they are most of them."""
AROUND = 10
"""Values on each side of a change by which it is known how it was measured."""
MIN_TOO_SHORT = 0.5
"""The share of series that are too short from which there is advice."""
MIN_MACHINES = 3
"""Machines from which they may be of one kind."""


def detect(
    values: ResultsValues,
    history: CommitHistory,
    settings: Settings,
    known: KnownLevels | None = None,
    builds: Builds | None = None,
) -> DetectedChanges:
    """Return every relevant change of the series in *values* over *history*, grouped by cause.

    Series give levels, levels give steps and creeps. Those that a shift of the whole machine explains, and those that
    only flip between known levels, are not reported as changes. Series whose levels are *known* are not searched.
    *builds* say what else than the project moved at a change.
    """
    values = join_machines(values, settings.machines)
    series = collect_series(values, history, settings.expectations)
    found = find_levels(series, tuple(map(re.compile, settings.reference_benchmarks)), known)
    changes, remeasured = list[CandidateChange](), list[CandidateChange]()
    for change in (each for one in found for each in (*find_steps(one), *find_creeps(one, history.releases))):
        (remeasured if is_remeasured(change) else changes).append(change)
    shifts = find_target_shifts(found, group_by_cause(changes))
    explained, own = split_explained(changes, shifts)
    pythons = {run.environment.name: run.environment.python for run in values.tree.runs}
    builder = ChangeBuilder(history=history, pythons=pythons, builds=builds or {})
    events, own_changes, candidates = builder.build_events(
        group_by_cause([change for change in own if not change.flip])
    )
    too_short = tuple(
        part_of(case_of(one), SkippedSeries, reason=f"{count} values; {MIN_POINTS} are needed")
        for one in series
        if (count := len(one.positions)) < MIN_POINTS
    )
    measured, on_branch = {run.commit for run in values.tree.runs}, {commit.hash for commit in history.commits}
    return DetectedChanges(
        schema=SCHEMA,
        series=len(series),
        commits=len(measured & on_branch),
        changes=tuple(own_changes),
        events=tuple(events),
        candidates=candidates,
        machine_shifts=builder.build_shifts(shifts, explained),
        skipped=(
            *too_short,
            *_remeasured(remeasured, history),
            *_flipping([change for change in own if change.flip]),
            *_between_two_levels(found),
        ),
        notes=(
            *_notes(sorted(measured - on_branch), values),
            *_counter_notes(series, history),
            *_remeasured_note(remeasured),
        ),
        newest_result=values.newest,
        newest_commit=history.commits[-1].hash if history.commits else "",
        too_short=len(too_short),
        advice=_advice(values, len(too_short), len(series)),
        versions=tuple(_version_starts(series, history)),
    )


def _version_starts(series: Sequence[Series], history: CommitHistory) -> Iterator[VersionStart]:
    """Yield the benchmarks whose present version begins after results of another one."""
    first: dict[tuple[BenchmarkName, bool], int] = {}
    for one in series:
        name = one.key.benchmark, one.removed
        first[name] = min(int(one.positions[0]), first.get(name, len(history.commits)))
    for (benchmark, removed), start in sorted(first.items()):
        if not removed and first.get((benchmark, True), start) < start:
            yield VersionStart(benchmark=benchmark, commit=history.commits[start].hash)


def is_remeasured(change: CandidateChange) -> bool:
    """Return whether most values before *change* are averages of many short calls, and most after it single calls.

    The clock and cold caches add microseconds to a single call, so the two do not compare. The other way around, too.
    """
    series = change.found.series
    if not series.single_calls:
        return False
    single = np.isin(series.positions, [*series.single_calls])
    known = series.values < SHORT  # a longer call is a sample
    is_before = series.positions <= change.previous
    before, after = single[known & is_before][-AROUND:], single[known & ~is_before][:AROUND]
    return bool(len(before) and len(after) and (before.mean() > MOST) != (after.mean() > MOST))


def _remeasured(changes: Sequence[CandidateChange], history: CommitHistory) -> Iterator[SkippedSeries]:
    for change in changes:
        commit = history.commits[change.position].hash[:8]
        reason = f"measured by single calls before or after {commit}, and by many calls a sample on the other side"
        yield part_of(change.case, SkippedSeries, reason=f"{reason}: the change is left out")


def _remeasured_note(changes: Sequence[CandidateChange]) -> Iterator[str]:
    if changes:
        names = sorted({change.case.benchmark for change in changes})
        more = ", …" if len(names) > MAX_NAMED else ""
        yield (
            f"{numbers.count(len(changes), 'change')} left out, where short calls were first measured by many calls a "
            f"sample and then one by one, or the other way: {', '.join(names[:MAX_NAMED])}{more}"
        )


def _flipping(flips: Sequence[CandidateChange]) -> Iterator[SkippedSeries]:
    for _, group in groupby(flips, key=lambda change: change.found.series):
        first, *others = group
        reason = f"flips between levels that it had before: {1 + len(others)} changes left out"
        yield part_of(first.case, SkippedSeries, reason=reason)


def _between_two_levels(found: Sequence[SeriesLevels]) -> Iterator[SkippedSeries]:
    for one in found:
        flipping = [stretch for stretch in one.levels.flipping if stretch.flips]
        if flipping:
            longest = max(flipping, key=lambda stretch: stretch.end - stretch.start)
            low, high = (one.scale.from_scale(level) for level in (longest.low, longest.high))
            reason = (
                f"flips between two levels, {low:.4g} and {high:.4g}, on the upper one in {longest.share:.0%} of "
                f"{longest.end - longest.start} runs: {numbers.count(sum(each.flips for each in flipping), 'change')} "
                "left out"
            )
            yield part_of(case_of(one.series), SkippedSeries, reason=reason)


def _advice(values: ResultsValues, too_short: int, series: int) -> str:
    """Return what to do where most series are too short because nearly every run has a machine name of its own."""
    commits: dict[MachineName, set[CommitHash]] = {}
    for run in values.tree.runs:
        commits.setdefault(run.machine, set()).add(run.commit)
    if too_short < MIN_TOO_SHORT * series or len(commits) < MIN_MACHINES:
        return ""
    typical = float(np.median([len(each) for each in commits.values()]))
    if typical >= MIN_POINTS:
        return ""
    pattern = next((known for known in HOSTED_RUNNERS if any(re.search(known, name) for name in commits)), "PATTERN")
    return (
        f"{len(commits)} machines have results, half of them for at most {numbers.count(int(typical), 'commit')}. "
        f"If they are of one kind, join them: hosted = '{pattern}' in [tool.windtunnel.machines] of pyproject.toml"
    )


def _notes(unknown: Sequence[CommitHash], values: ResultsValues) -> Iterator[str]:
    if unknown:
        names = ", ".join(commit[:8] for commit in unknown[:MAX_NAMED])
        more = ", …" if len(unknown) > MAX_NAMED else ""
        yield f"{len(unknown)} measured commits are not on the branch and were left out: {names}{more}"
    if problems := values.tree.problems:
        yield f"{len(problems)} entries in the results could not be used; detect --verbose names them"
    if not values.tree.runs:
        yield "there are no results yet; windtunnel bench measures some"


def _counter_notes(series: Sequence[Series], history: CommitHistory) -> Iterator[str]:
    """Yield where counts of instructions come from another Python or counter than before, the newest first."""
    found: dict[tuple[int, str, str], str] = {}
    for one in series:
        for at, (before, after) in enumerate(pairwise(one.counted_with), 1):
            if before != after:
                where = f"{one.key.target.environment} on {one.key.target.machine}"
                found[int(one.positions[at]), where, after] = f"{before or 'unknown'} before"
    newest = sorted(found.items(), reverse=True)
    for (position, where, after), before in newest[:MAX_NAMED]:
        yield (
            f"instructions in {where} are counted with {after or 'an unknown counter'} from "
            f"{history.commits[position].hash[:8]} on ({before}): levels are aligned there, so what this commit "
            "changes shows in times only"
        )

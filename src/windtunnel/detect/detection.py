"""Detects the relevant changes in a results tree and groups them by cause."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from windtunnel.detect.candidate_change import CandidateChange, case_of
from windtunnel.detect.causes import group_by_cause
from windtunnel.detect.change_builder import ChangeBuilder
from windtunnel.detect.creep import find_creeps
from windtunnel.detect.format import SCHEMA, DetectedChanges, SkippedSeries, part_of
from windtunnel.detect.levels import MIN_POINTS, find_levels
from windtunnel.detect.machine_shift import find_target_shifts
from windtunnel.detect.series import SeriesCollection, collect_series
from windtunnel.detect.settings import DetectionSettings
from windtunnel.detect.steps import find_steps
from windtunnel.model.commit_history import CommitHistory
from windtunnel.results.columns import ResultsValues

MAX_NAMED = 5
"""Commits that a note names."""


def detect(points: ResultsValues, history: CommitHistory, settings: DetectionSettings) -> DetectedChanges:
    """Return every relevant change of the series in *points* over *history*, grouped by cause.

    Series give levels, levels give steps and creeps. Those that a shift of the whole machine explains, and those that
    only flip between known levels, are not reported as changes.
    """
    collected = collect_series(points, history, settings)
    found = find_levels(collected.series, settings.references)
    changes = [change for one in found for change in (*find_steps(one), *find_creeps(one, history.releases))]
    shifts = find_target_shifts(found, group_by_cause(changes))
    explained = [change for change in changes if any(shift.explains(change) for shift in shifts)]
    own = [change for change in changes if not any(shift.explains(change) for shift in shifts)]
    builder = ChangeBuilder(history=history)
    events, reported = builder.build_events(group_by_cause([change for change in own if not change.flip]))
    return DetectedChanges(
        schema=SCHEMA,
        series=len(collected.series),
        commits=collected.commits,
        changes=reported,
        events=events,
        machine_shifts=builder.build_shifts(shifts, explained),
        skipped=(*_too_short(collected), *_flipping([change for change in own if change.flip])),
        notes=tuple(_notes(collected, points)),
        newest_result=points.newest,
    )


def _too_short(collected: SeriesCollection) -> Iterator[SkippedSeries]:
    for series in collected.series:
        if (count := len(series.positions)) < MIN_POINTS:
            yield part_of(case_of(series), SkippedSeries, reason=f"{count} values; {MIN_POINTS} are needed")


def _flipping(flips: Sequence[CandidateChange]) -> Iterator[SkippedSeries]:
    for _, group in groupby(flips, key=lambda change: change.found.series):
        first, *others = group
        reason = f"flips between levels that it had before: {1 + len(others)} changes left out"
        yield part_of(first.case, SkippedSeries, reason=reason)


def _notes(collected: SeriesCollection, points: ResultsValues) -> Iterator[str]:
    if unknown := collected.unknown_commits:
        names = ", ".join(commit[:8] for commit in unknown[:MAX_NAMED])
        more = ", …" if len(unknown) > MAX_NAMED else ""
        yield f"{len(unknown)} measured commits are not on the branch and were left out: {names}{more}"
    if problems := points.tree.problems:
        yield f"{len(problems)} entries in the results could not be used; detect --verbose names them"
    if not points.tree.runs:
        yield "there are no results yet; windtunnel bench measures some"

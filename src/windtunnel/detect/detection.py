"""From a results tree and the history of its project to what changed, grouped by cause, and what nothing is said of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from windtunnel.detect.candidate_change import CandidateChange
from windtunnel.detect.causes import causes
from windtunnel.detect.change_builder import ChangeBuilder
from windtunnel.detect.creep import creeps
from windtunnel.detect.format import SCHEMA, DetectedChanges, SkippedSeries
from windtunnel.detect.levels import FEWEST_POINTS, SeriesLevels, find_levels
from windtunnel.detect.machine_shift import movements, split_off
from windtunnel.detect.series import Collected, Series, Wishes, collect_series
from windtunnel.detect.steps import relevant_steps
from windtunnel.model.commit_history import CommitHistory
from windtunnel.results.columns import ResultsValues


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionSettings:
    """What a project wants to be told."""

    wishes: Wishes = field(default_factory=Wishes)
    references: tuple[re.Pattern[str], ...] = ()


def detect(points: ResultsValues, history: CommitHistory, settings: DetectionSettings) -> DetectedChanges:
    """Return every relevant change of the series in *points* over *history*, grouped by cause."""
    collected = collect_series(points, history, settings.wishes)
    found = find_levels(collected.series, settings.references)
    drafts = [draft for one in found for draft in _drafts(one, history)]
    moves = movements(found, causes(drafts))
    own, absorbed = split_off(drafts, moves)
    wording = ChangeBuilder(history=history)
    events, changes = wording.events(causes([draft for draft in own if not draft.flip]))
    return DetectedChanges(
        schema=SCHEMA,
        series=len(collected.series),
        commits=collected.commits,
        changes=changes,
        events=events,
        common_mode=wording.common_mode(moves, absorbed),
        skipped=(*_too_few(collected), *_flipping([draft for draft in own if draft.flip])),
        notes=(*_elsewhere(collected), *_unusable(points), *_nothing(points)),
        newest_result=points.newest,
    )


def _drafts(one: SeriesLevels, history: CommitHistory) -> tuple[CandidateChange, ...]:
    return (*relevant_steps(one), *creeps(one, history.releases))


def _too_few(collected: Collected) -> Iterator[SkippedSeries]:
    for series in collected.series:
        if (count := len(series.positions)) < FEWEST_POINTS:
            yield _skipped(series, f"{count} values; {FEWEST_POINTS} are needed")


def _flipping(flips: Sequence[CandidateChange]) -> Iterator[SkippedSeries]:
    for series, group in groupby((draft.found.series for draft in flips), key=lambda series: series):
        count = len(tuple(group))
        yield _skipped(series, f"flips between levels that it had before: {count} changes left out")


def _skipped(series: Series, reason: str) -> SkippedSeries:
    key = series.key
    return SkippedSeries(
        benchmark=key.benchmark,
        params=key.params,
        environment=key.target.environment,
        machine=key.target.machine,
        version=key.version,
        reason=reason,
    )


def _elsewhere(collected: Collected) -> tuple[str, ...]:
    if not collected.elsewhere:
        return ()
    names = ", ".join(commit[:8] for commit in collected.elsewhere[:5])
    more = ", …" if len(collected.elsewhere) > 5 else ""
    return (f"{len(collected.elsewhere)} measured commits are not on the branch and were left out: {names}{more}",)


def _unusable(points: ResultsValues) -> tuple[str, ...]:
    count = len(points.tree.problems)
    return (f"{count} things in the results could not be used; detect --verbose names them",) if count else ()


def _nothing(points: ResultsValues) -> tuple[str, ...]:
    return () if points.tree.runs else ("there are no results yet; windtunnel bench measures some",)

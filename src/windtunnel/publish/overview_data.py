"""Converts an overview to overview.json."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from windtunnel.model.identity import CommitHash
from windtunnel.model.result import Failed, Interval, Skipped
from windtunnel.model.run_format import CaseState
from windtunnel.publish.figures import CONFIDENCE, LEVELS, CellState, Figure, Infinite, Missing
from windtunnel.publish.format.front import Limits
from windtunnel.publish.format.overview import (
    AbsentCase,
    FailedResult,
    Fastest,
    InfiniteResult,
    LoadName,
    MeasuredResult,
    MissingResult,
    OverviewData,
    OverviewTarget,
    Ratio,
    ResultData,
    ScenarioCase,
    ScenarioData,
    SkippedResult,
)
from windtunnel.publish.format.site import CommitSummary, Project
from windtunnel.publish.overview import Overview, TargetCoverage
from windtunnel.publish.scenario_board import BoardRow, Scenario, ScenarioBoard, module_of, scenario_names


@dataclass(frozen=True, slots=True, kw_only=True)
class _Indices:
    """The positions of targets and commits in the file."""

    targets: Mapping[str, int]
    commits: Mapping[CommitHash, int]


def overview_data(overview: Overview, project: Project, commits: Sequence[CommitSummary]) -> OverviewData:
    """Return the content of the file, with those of *commits* (newest first) that a figure comes from."""
    used = _used_commits(overview, commits)
    indices = _Indices(
        targets={each.target.name: index for index, each in enumerate(overview.coverage)},
        commits={CommitHash(each.hash): index for index, each in enumerate(used)},
    )
    names = scenario_names([each.benchmark for each in overview.scenarios])
    return OverviewData(
        format="windtunnel/overview",
        version=1,
        project=project,
        confidence=CONFIDENCE,
        levels=LEVELS,
        commits=used,
        targets=tuple(_target(each, indices) for each in overview.coverage),
        scenarios=tuple(_scenario(each, name, indices) for each, name in zip(overview.scenarios, names, strict=True)),
    )


def needed_commits(overview: Overview) -> tuple[CommitHash, ...]:
    """Return the commits that a figure of *overview* comes from, each once."""
    found = [each.target.commit for each in overview.coverage]
    found += [board.commit for scenario in overview.scenarios for board in scenario.boards]
    return tuple(dict.fromkeys(found))


def _used_commits(overview: Overview, commits: Sequence[CommitSummary]) -> tuple[CommitSummary, ...]:
    needed = needed_commits(overview)
    known = [each for each in commits if each.hash in needed]
    hashes = {each.hash for each in known}
    unknown = (CommitSummary(hash=each, subject=None, date=None, url=None) for each in needed if each not in hashes)
    return (*known, *unknown)


def _target(coverage: TargetCoverage, indices: _Indices) -> OverviewTarget:
    target = coverage.target
    return OverviewTarget(
        name=target.name,
        python=target.python,
        machine=target.machine,
        commit=indices.commits[target.commit],
        measured=coverage.measured,
        failed=coverage.failed,
        skipped=coverage.skipped,
        absences=tuple(
            AbsentCase(
                case=each.case, state="failed" if each.state is CaseState.FAILED else "skipped", reason=each.reason
            )
            for each in coverage.absences
        ),
    )


def _scenario(scenario: Scenario, name: str, indices: _Indices) -> ScenarioData:
    return ScenarioData(
        name=name,
        benchmark=scenario.benchmark,
        group=module_of(scenario.benchmark),
        kind=scenario.kind,
        unit=scenario.unit or "unit",
        variant_parameter=scenario.settings.variant,
        load_parameter=scenario.settings.load,
        reference=scenario.variants.index(scenario.reference),
        variants=tuple(variant.name for variant in scenario.variants),
        loads=tuple(LoadName(name=load.name, parameter=load.parameter) for load in scenario.loads),
        cases=tuple(_case(scenario, board, row, indices) for board in scenario.boards for row in board.rows),
        fastest=tuple(_fastest(scenario, board, indices) for board in scenario.boards if board.fastest),
    )


def _case(scenario: Scenario, board: ScenarioBoard, row: BoardRow, indices: _Indices) -> ScenarioCase:
    return ScenarioCase(
        target=indices.targets[board.target.name],
        commit=indices.commits[board.commit],
        load=scenario.loads.index(board.load),
        variant=scenario.variants.index(row.variant),
        result=_result(row.state),
        ratio=None if row.ratio is None else Ratio(value=row.ratio.value, interval=_limits(row.ratio.interval)),
        distribution=row.distribution,
        profiles=row.profiles,
    )


def _fastest(scenario: Scenario, board: ScenarioBoard, indices: _Indices) -> Fastest:
    return Fastest(
        target=indices.targets[board.target.name],
        load=scenario.loads.index(board.load),
        variants=tuple(map(scenario.variants.index, board.fastest)),
    )


def _result(state: CellState) -> ResultData:
    match state:
        case Figure():
            return MeasuredResult(value=state.value, interval=_limits(state.interval), samples=state.samples)
        case Failed():
            return FailedResult()
        case Skipped():
            return SkippedResult()
        case Missing():
            return MissingResult()
        case Infinite():
            return InfiniteResult()
        case _:
            assert_never(state)


def _limits(interval: Interval | None) -> Limits | None:
    return None if interval is None else (interval.low, interval.high)

"""From an Overview to the file that the site's overview page draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from windtunnel.model.identity import CommitHash
from windtunnel.model.result import Failed, Interval, Skipped
from windtunnel.model.run_format import State
from windtunnel.publish import distribution, figure
from windtunnel.publish.figure import CONFIDENCE, Figure, Standing
from windtunnel.publish.format import scenarios as contract
from windtunnel.publish.format.scenarios import OverviewData
from windtunnel.publish.format.words import CommitLine, Limits, Project
from windtunnel.publish.overview import Coverage, Overview
from windtunnel.publish.scenario_board import Board, Line, Scenario
from windtunnel.publish.scenario_names import module_of, scenario_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the page says beside the figures: the project, and commits as git knows them."""

    project: Project
    commits: tuple[CommitLine, ...]


def overview_data(overview: Overview, surroundings: Surroundings) -> OverviewData:
    """Return the content of the file; of the commits, those that a figure comes from, newest first."""
    commits = _commits(overview, surroundings.commits)
    at = _Index(
        places={each.place.name: index for index, each in enumerate(overview.coverage)},
        commits={each.hash: index for index, each in enumerate(commits)},
    )
    names = scenario_names([each.benchmark for each in overview.scenarios])
    return OverviewData(
        format="windtunnel/overview",
        version=1,
        project=surroundings.project,
        confidence=CONFIDENCE,
        levels=distribution.LEVELS,
        commits=commits,
        places=tuple(_place(each, at) for each in overview.coverage),
        scenarios=tuple(_scenario(each, name, at) for each, name in zip(overview.scenarios, names, strict=True)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Index:
    """Where places and commits stand in the file."""

    places: Mapping[str, int]
    commits: Mapping[str, int]


def _commits(overview: Overview, known: Sequence[CommitLine]) -> tuple[CommitLine, ...]:
    used: list[CommitHash] = [each.place.commit for each in overview.coverage]
    used += [board.commit for scenario in overview.scenarios for board in scenario.boards]
    needed = dict.fromkeys(used)
    seen = tuple(line for line in known if line.hash in needed)
    there = {line.hash for line in seen}
    bare = (CommitLine(hash=each, subject=None, date=None, url=None) for each in needed if each not in there)
    return (*seen, *bare)


def _place(coverage: Coverage, at: _Index) -> contract.Place:
    place, counts = coverage.place, coverage.counts
    return contract.Place(
        name=place.name,
        python=place.python,
        machine=place.machine,
        commit=at.commits[place.commit],
        measured=counts.measured,
        failed=counts.failed,
        skipped=counts.skipped,
        absences=tuple(
            contract.AbsentCase(case=each.case, state=_word(each.state), reason=each.reason)
            for each in coverage.absences
        ),
    )


def _word(state: State) -> Literal["failed", "skipped"]:
    return "failed" if state is State.FAILED else "skipped"


def _scenario(scenario: Scenario, name: str, at: _Index) -> contract.ScenarioData:
    return contract.ScenarioData(
        name=name,
        benchmark=scenario.benchmark,
        group=module_of(scenario.benchmark),
        kind=scenario.kind,
        unit=scenario.unit or "unit",
        reference=scenario.variants.index(scenario.reference),
        variants=tuple(variant.name for variant in scenario.variants),
        loads=tuple(contract.LoadName(name=load.name, parameter=load.parameter) for load in scenario.loads),
        cases=tuple(_case(scenario, board, line, at) for board in scenario.boards for line in board.lines),
        fastest=tuple(_fastest(scenario, board, at) for board in scenario.boards if board.fastest),
    )


def _case(scenario: Scenario, board: Board, line: Line, at: _Index) -> contract.ScenarioCase:
    return contract.ScenarioCase(
        place=at.places[board.place.name],
        commit=at.commits[board.commit],
        load=scenario.loads.index(board.load),
        variant=scenario.variants.index(line.variant),
        result=_result(line.standing),
        ratio=_ratio(line.ratio),
        distribution=_distribution(line.distribution),
        profiles=line.profiles,
    )


def _distribution(spread: distribution.Distribution | None) -> contract.Distribution | None:
    return None if spread is None else contract.Distribution(quantiles=spread.quantiles, processes=spread.processes)


def _fastest(scenario: Scenario, board: Board, at: _Index) -> contract.Fastest:
    return contract.Fastest(
        place=at.places[board.place.name],
        load=scenario.loads.index(board.load),
        variants=tuple(map(scenario.variants.index, board.fastest)),
    )


def _result(standing: Standing) -> contract.Result:
    match standing:
        case Figure():
            interval = _limits(standing.interval)
            return contract.Measured(value=standing.value, interval=interval, samples=standing.samples)
        case Failed():
            return contract.Failed()
        case Skipped():
            return contract.Skipped()
        case figure.Missing():
            return contract.Missing()
        case figure.Infinite():
            return contract.Infinite()
        case _:
            assert_never(standing)


def _ratio(ratio: Figure | None) -> contract.Ratio | None:
    return None if ratio is None else contract.Ratio(value=ratio.value, interval=_limits(ratio.interval))


def _limits(interval: Interval | None) -> Limits | None:
    return None if interval is None else (interval.low, interval.high)

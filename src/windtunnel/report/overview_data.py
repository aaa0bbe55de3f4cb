"""From an Overview to the file that the site's overview page draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from windtunnel.analysis import distribution, figure
from windtunnel.analysis.figure import CONFIDENCE, Figure, Standing
from windtunnel.analysis.overview import Coverage, Listing, Overview
from windtunnel.analysis.scenario_board import Board, Line, Scenario
from windtunnel.measurement import CommitHash, Failed, Interval, Skipped
from windtunnel.measurement.record import State
from windtunnel.report import site_data
from windtunnel.report.scenario_names import module_of, scenario_names
from windtunnel.report.site_data import CommitLine, Limits, OverviewData, Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the page says beside the figures: *commits* as git knows them, *asv* where asv's own pages are."""

    project: Project
    asv: str | None
    commits: tuple[CommitLine, ...]
    notes: tuple[str, ...]


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
        asv=surroundings.asv,
        commits=commits,
        places=tuple(_place(each, at) for each in overview.coverage),
        scenarios=tuple(_scenario(each, name, at) for each, name in zip(overview.scenarios, names, strict=True)),
        benchmarks=tuple(_benchmark(each, at) for each in overview.listings),
        notes=surroundings.notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Index:
    """Where places and commits stand in the file."""

    places: Mapping[str, int]
    commits: Mapping[str, int]


def _commits(overview: Overview, known: Sequence[CommitLine]) -> tuple[CommitLine, ...]:
    used: list[CommitHash] = [each.place.commit for each in overview.coverage]
    used += [board.commit for scenario in overview.scenarios for board in scenario.boards]
    used += [reading.commit for listing in overview.listings for reading in listing.readings]
    needed = dict.fromkeys(used)
    seen = tuple(line for line in known if line.hash in needed)
    there = {line.hash for line in seen}
    bare = (CommitLine(hash=each, subject=None, date=None, url=None) for each in needed if each not in there)
    return (*seen, *bare)


def _place(coverage: Coverage, at: _Index) -> site_data.Place:
    place, counts = coverage.place, coverage.counts
    return site_data.Place(
        name=place.name,
        python=place.python,
        machine=place.machine,
        commit=at.commits[place.commit],
        measured=counts.measured,
        failed=counts.failed,
        skipped=counts.skipped,
        absences=tuple(
            site_data.AbsentCase(case=each.case, state=_word(each.state), reason=each.reason)
            for each in coverage.absences
        ),
    )


def _word(state: State) -> Literal["failed", "skipped"]:
    return "failed" if state is State.FAILED else "skipped"


def _scenario(scenario: Scenario, name: str, at: _Index) -> site_data.ScenarioData:
    return site_data.ScenarioData(
        name=name,
        benchmark=scenario.benchmark,
        group=module_of(scenario.benchmark),
        kind=scenario.kind,
        unit=scenario.unit or "unit",
        reference=scenario.variants.index(scenario.reference),
        variants=tuple(variant.name for variant in scenario.variants),
        loads=tuple(site_data.LoadName(name=load.name, parameter=load.parameter) for load in scenario.loads),
        cases=tuple(_case(scenario, board, line, at) for board in scenario.boards for line in board.lines),
        fastest=tuple(_fastest(scenario, board, at) for board in scenario.boards if board.fastest),
    )


def _case(scenario: Scenario, board: Board, line: Line, at: _Index) -> site_data.ScenarioCase:
    return site_data.ScenarioCase(
        place=at.places[board.place.name],
        commit=at.commits[board.commit],
        load=scenario.loads.index(board.load),
        variant=scenario.variants.index(line.variant),
        result=_result(line.standing),
        ratio=_ratio(line.ratio),
        distribution=_distribution(line.distribution),
        profiles=line.profiles,
    )


def _distribution(spread: distribution.Distribution | None) -> site_data.Distribution | None:
    return None if spread is None else site_data.Distribution(quantiles=spread.quantiles, processes=spread.processes)


def _fastest(scenario: Scenario, board: Board, at: _Index) -> site_data.Fastest:
    return site_data.Fastest(
        place=at.places[board.place.name],
        load=scenario.loads.index(board.load),
        variants=tuple(map(scenario.variants.index, board.fastest)),
    )


def _benchmark(listing: Listing, at: _Index) -> site_data.PlainBenchmark:
    return site_data.PlainBenchmark(
        name=listing.benchmark.name,
        unit=listing.benchmark.unit or "unit",
        parameters=listing.benchmark.param_names,
        cases=tuple(
            site_data.PlainCase(
                place=at.places[each.place.name],
                commit=at.commits[each.commit],
                parameters=each.parameters,
                result=_result(each.standing),
            )
            for each in listing.readings
        ),
    )


def _result(standing: Standing) -> site_data.Result:
    match standing:
        case Figure():
            interval = _limits(standing.interval)
            return site_data.Measured(value=standing.value, interval=interval, samples=standing.samples)
        case Failed():
            return site_data.Failed()
        case Skipped():
            return site_data.Skipped()
        case figure.Missing():
            return site_data.Missing()
        case figure.Infinite():
            return site_data.Infinite()
        case _:
            assert_never(standing)


def _ratio(ratio: Figure | None) -> site_data.Ratio | None:
    return None if ratio is None else site_data.Ratio(value=ratio.value, interval=_limits(ratio.interval))


def _limits(interval: Interval | None) -> Limits | None:
    return None if interval is None else (interval.low, interval.high)

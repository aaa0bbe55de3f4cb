"""The newest figures of a results tree: scenarios side by side, other benchmarks one by one, and what is missing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import CommitHash, Parameters
from windtunnel.model.instructions import counts_of
from windtunnel.model.result import Failed, Measured, Skipped
from windtunnel.model.run import Problem, ResultsTree
from windtunnel.model.run_format import CaseState, RunRecord, TaskRecord, error_line
from windtunnel.model.settings import BoardSettings
from windtunnel.model.target import MeasuredTarget, newest_targets
from windtunnel.publish.figures import CaseGroup, CellState, NewestResults, cell_state, newest_results
from windtunnel.publish.scenario_board import Scenario, board_groups, build_scenario, is_scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestFigure:
    """One case of a benchmark at a target, from the newest run that tried the benchmark there."""

    target: MeasuredTarget
    commit: CommitHash
    parameters: Parameters
    state: CellState


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkFigures:
    """A benchmark that is not a scenario, with the newest figures of all its cases."""

    benchmark: Benchmark
    figures: tuple[NewestFigure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A case without a value and the reason."""

    case: str
    """The case, or ``every case`` where the environment could not be built."""
    state: CaseState
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCoverage:
    """How the cases of the newest commit at a target ended."""

    target: MeasuredTarget
    measured: int
    failed: int
    skipped: int
    """From the run record; without one, the number that asv counts, which includes cases that were not selected."""
    absences: tuple[Absence, ...]
    """Known only where a run left a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The newest figures of a results tree."""

    coverage: tuple[TargetCoverage, ...]
    scenarios: tuple[Scenario, ...]
    benchmarks: tuple[BenchmarkFigures, ...]
    """The benchmarks that are not scenarios."""
    untried: tuple[Benchmark, ...]
    """Benchmarks of the suite that no run at any of the targets tried."""
    problems: tuple[Problem, ...]


def build_overview(
    tree: ResultsTree,
    history: Sequence[CommitHash],
    records: Sequence[RunRecord] = (),
    board: BoardSettings | None = None,
) -> Overview:
    """Return the overview of *tree*.

    *history* holds the commits of the project's branches, newest first. *records* explain why cases have no value.
    Without *board* no benchmark is a scenario. The instructions of scenarios are left out: their histories show them.
    """
    targets = newest_targets(tree, history)
    timed = [each for each in tree.benchmarks if not counts_of(each)]
    scenarios = [each for each in timed if is_scenario(each, board)] if board else []
    shown = {each.name for each in scenarios}
    others = [each for each in tree.benchmarks if each.name not in shown and counts_of(each) not in shown]
    groups = [group for each in scenarios for group in board_groups(each, board)] if board else []
    groups += map(_all_cases, others)
    results = tuple(newest_results(target, groups) for target in targets)
    built = tuple(build_scenario(each, results, board) for each in scenarios) if board else ()
    figures = tuple(_figures(each, results) for each in others)
    tried = {each.benchmark for each in built if each.boards}
    tried |= {each.benchmark.name for each in figures if each.figures}
    return Overview(
        coverage=tuple(_coverage(target, records) for target in targets),
        scenarios=tuple(each for each in built if each.boards),
        benchmarks=tuple(each for each in figures if each.figures),
        untried=tuple(each for each in timed if each.name not in tried),
        problems=tree.problems,
    )


def _all_cases(benchmark: Benchmark) -> CaseGroup:
    return CaseGroup(benchmark=benchmark, cases=tuple(dict.fromkeys(product(*benchmark.params))))


def _figures(benchmark: Benchmark, results: Sequence[NewestResults]) -> BenchmarkFigures:
    group = _all_cases(benchmark)
    figures = (
        NewestFigure(target=found.target, commit=found.commit, parameters=parameters, state=cell_state(result))
        for each in results
        if (found := each.get(group))
        for parameters, result in zip(group.cases, found.results, strict=True)
    )
    return BenchmarkFigures(benchmark=benchmark, figures=tuple(figures))


def _coverage(target: MeasuredTarget, records: Sequence[RunRecord]) -> TargetCoverage:
    counts = Counter(type(result) for row in target.runs[0].rows for result in row.results)
    tasks = _tasks(target, records)
    absences = tuple(absence for task in tasks for absence in _absences(task))
    skipped = len({each.case for each in absences if each.state is CaseState.SKIPPED}) if tasks else counts[Skipped]
    return TargetCoverage(
        target=target, measured=counts[Measured], failed=counts[Failed], skipped=skipped, absences=absences
    )


def _tasks(target: MeasuredTarget, records: Sequence[RunRecord]) -> tuple[TaskRecord, ...]:
    return tuple(
        task
        for record in records
        if record.machine.name == target.machine
        for task in record.tasks
        if (task.commit, task.environment) == (target.commit, target.environment)
    )


def _absences(task: TaskRecord) -> Iterator[Absence]:
    if task.failure:
        yield Absence(case="every case", state=CaseState.FAILED, reason=error_line(task.failure))
    for case in task.cases:
        if case.state is not CaseState.MEASURED:
            yield Absence(case=case.case, state=case.state, reason=error_line(case.reason))

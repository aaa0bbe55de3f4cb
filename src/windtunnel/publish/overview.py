"""The newest figures of a results tree: scenarios side by side, other benchmarks one by one, and what is missing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import CommitHash, Parameters
from windtunnel.model.result import Failed, Measured, Skipped
from windtunnel.model.run import Problem, ResultsTree
from windtunnel.model.run_format import RunRecord, State, TaskRecord, last_line
from windtunnel.model.settings import BoardSettings
from windtunnel.model.target import MeasuredTarget, newest_targets
from windtunnel.publish.figure import Standing, standing
from windtunnel.publish.latest import Newest, Wanted, newest
from windtunnel.publish.scenario_board import Scenario, is_scenario, scenario, wanted_boards


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One case of a benchmark at a place, as the newest run that tried the benchmark there has it."""

    place: MeasuredTarget
    commit: CommitHash
    parameters: Parameters
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A benchmark that is no scenario, with all its readings."""

    benchmark: Benchmark
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many cases of a place's newest commit ended how.

    *skipped* is what a run record says; without one it is what asv calls so, which includes what nobody selected.
    """

    measured: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A case without a value (or ``every case``, when nothing could be installed), and why."""

    case: str
    state: State
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What became of the newest commit at a place; *absences* are known only where a run left a record."""

    place: MeasuredTarget
    counts: Counts
    absences: tuple[Absence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What a reader wants to know first of a results tree.

    *unseen* are benchmarks of the suite that no run at any of the places has tried.
    """

    coverage: tuple[Coverage, ...]
    scenarios: tuple[Scenario, ...]
    listings: tuple[Listing, ...]
    unseen: tuple[Benchmark, ...]
    problems: tuple[Problem, ...]


def overview(
    tree: ResultsTree,
    history: Sequence[CommitHash],
    records: Sequence[RunRecord] = (),
    board: BoardSettings | None = None,
) -> Overview:
    """Return the overview of *tree*.

    *history* holds the commits of the project's branches, newest first; *records* tell why cases have no value.
    *board* says which benchmarks are scenarios.
    """
    here = newest_targets(tree, history)
    wanted = [each for benchmark in tree.benchmarks for each in _wanted(benchmark, board)]
    results = tuple(newest(place, wanted) for place in here)
    scenarios = tuple(scenario(each, results, board) for each in tree.benchmarks if board and is_scenario(each, board))
    listings = tuple(_listing(each, results) for each in tree.benchmarks if not is_scenario(each, board))
    tried = {each.benchmark for each in scenarios if each.boards}
    tried |= {each.benchmark.name for each in listings if each.readings}
    return Overview(
        coverage=tuple(_coverage(place, records) for place in here),
        scenarios=tuple(each for each in scenarios if each.boards),
        listings=tuple(each for each in listings if each.readings),
        unseen=tuple(each for each in tree.benchmarks if each.name not in tried),
        problems=tree.problems,
    )


def _wanted(benchmark: Benchmark, board: BoardSettings | None) -> tuple[Wanted, ...]:
    return wanted_boards(benchmark, board) if board and is_scenario(benchmark, board) else (_whole(benchmark),)


def _whole(benchmark: Benchmark) -> Wanted:
    return Wanted(benchmark=benchmark, cases=tuple(dict.fromkeys(product(*benchmark.params))))


def _listing(benchmark: Benchmark, results: Sequence[Newest]) -> Listing:
    wanted = _whole(benchmark)
    readings = (
        Reading(place=each.place, commit=found.commit, parameters=parameters, standing=standing(result))
        for each in results
        if (found := each.of(wanted))
        for parameters, result in zip(wanted.cases, found.results, strict=True)
    )
    return Listing(benchmark=benchmark, readings=tuple(readings))


def _coverage(place: MeasuredTarget, records: Sequence[RunRecord]) -> Coverage:
    kinds = Counter(type(result) for row in place.runs[0].rows for result in row.results)
    tasks = _tasks(place, records)
    absences = tuple(absence for task in tasks for absence in _absent(task))
    skipped = len({each.case for each in absences if each.state is State.SKIPPED}) if tasks else kinds[Skipped]
    counts = Counts(measured=kinds[Measured], failed=kinds[Failed], skipped=skipped)
    return Coverage(place=place, counts=counts, absences=absences)


def _tasks(place: MeasuredTarget, records: Sequence[RunRecord]) -> tuple[TaskRecord, ...]:
    return tuple(
        task
        for record in records
        if record.machine.name == place.machine
        for task in record.tasks
        if (task.commit, task.environment) == (place.commit, place.environment)
    )


def _absent(task: TaskRecord) -> Iterator[Absence]:
    if task.failure:
        yield Absence(case="every case", state=State.FAILED, reason=last_line(task.failure))
    for case in task.cases:
        if case.state is not State.MEASURED:
            yield Absence(case=case.case, state=case.state, reason=last_line(case.reason))

"""The newest figures of a results tree: scenarios side by side, other benchmarks one by one, and what is missing.

A scenario is a benchmark with exactly the parameters that ``[tool.windtunnel.board]`` names.
"""

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from windtunnel.model.benchmark import Benchmark, counts_of
from windtunnel.model.identity import BenchmarkName, CommitHash, Parameters
from windtunnel.model.run import Result, ResultsTree
from windtunnel.model.settings import BoardSettings
from windtunnel.model.target import MeasuredTarget, newest_targets
from windtunnel.publish import figures
from windtunnel.publish.format import results as data
from windtunnel.publish.format.site import CommitSummary, Project

NO_LOAD = data.LoadName(name="", parameter="")
"""The one load of scenarios without a parameter for it."""
MAX_NAMES = 5
"""Names in a sentence about what is left out; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkFigures:
    """A benchmark that is not a scenario, with the newest results of all its cases."""

    benchmark: Benchmark
    results: tuple[tuple[str, Parameters, Result | None], ...]
    """For each target and case: the name of the target, the parameters, and the result; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The newest figures of a results tree."""

    data: data.OverviewData
    """The content of overview.json: the scenarios that have results, the targets, and the commits of both."""
    benchmarks: tuple[BenchmarkFigures, ...]
    """The benchmarks that are not scenarios."""
    untried: tuple[Benchmark, ...]
    """Benchmarks of the suite that no run at any of the targets tried."""


def build_overview(
    tree: ResultsTree,
    history: Sequence[CommitHash],
    summarise: Callable[[Sequence[CommitHash]], Sequence[CommitSummary]],
    project: Project,
    board: BoardSettings | None = None,
) -> Overview:
    """Return the overview of *tree*.

    *history* holds the commits of the project's branches, newest first; *summarise* returns the commits that figures
    come from, newest first. Without *board* no benchmark is a scenario. The instructions of scenarios are left out:
    their histories show them.
    """
    targets = newest_targets(tree, history)
    timed = [each for each in tree.benchmarks if not counts_of(each)]
    scenarios = [each for each in timed if is_scenario(each, board)]
    shown = {each.name for each in scenarios}
    others = [each for each in tree.benchmarks if each.name not in shown and counts_of(each) not in shown]
    boards = {each.name: _board_groups(each, board) for each in scenarios if board}
    groups = [group for each in scenarios for group in boards[each.name]]
    groups += map(_all_cases, others)
    by_name = {each.name: each for each in tree.benchmarks}
    newest = [figures.newest_results(target, groups, by_name) for target in targets]
    built = [each for each in scenarios if any(group in found for group in boards[each.name] for found in newest)]
    needed = [target.commit for target in targets]
    needed += [found[group][0] for each in built for group in boards[each.name] for found in newest if group in found]
    commits = tuple(summarise(tuple(dict.fromkeys(needed))))
    indices = {CommitHash(each.hash): index for index, each in enumerate(commits)}
    names = scenario_names([each.name for each in built])
    benchmarks = [found for each in others if (found := _benchmark_figures(each, targets, newest)).results]
    tried = {each.name for each in built} | {each.benchmark.name for each in benchmarks}
    content = data.OverviewData(
        format="windtunnel/overview",
        version=1,
        project=project,
        confidence=figures.CONFIDENCE,
        levels=figures.LEVELS,
        commits=commits,
        targets=tuple(
            data.OverviewTarget(name=each.name, python=each.python, machine=each.machine, commit=indices[each.commit])
            for each in targets
        ),
        scenarios=tuple(
            _scenario(each, name, board, newest, indices) for each, name in zip(built, names, strict=True) if board
        ),
    )
    untried = tuple(each for each in timed if each.name not in tried)
    return Overview(data=content, benchmarks=tuple(benchmarks), untried=untried)


def is_scenario(benchmark: Benchmark, settings: BoardSettings | None) -> bool:
    """Return whether *benchmark* has the parameters of a scenario."""
    if settings is None:
        return False
    parameters = {settings.variant} if settings.load is None else {settings.variant, settings.load}
    found = benchmark.param_names
    return len(found) == len(parameters) == len(benchmark.params) and {*found} == parameters and all(benchmark.params)


def _board_groups(benchmark: Benchmark, settings: BoardSettings) -> tuple[figures.CaseGroup, ...]:
    """Return the cases of each board of *benchmark*: all variants at one load."""
    variants = _values(benchmark, settings.variant)
    return tuple(
        (
            benchmark.name,
            tuple(
                tuple(
                    {settings.load: load.parameter, settings.variant: each.parameter}[name]
                    for name in benchmark.param_names
                )
                for each in variants
            ),
        )
        for load in _loads(benchmark, settings)
    )


def _scenario(
    benchmark: Benchmark,
    name: str,
    settings: BoardSettings,
    newest: Sequence[figures.NewestResults],
    commits: Mapping[CommitHash, int],
) -> data.ScenarioData:
    """Return *benchmark*, which is a scenario, with its *newest* results at each target."""
    variants = tuple(each.name for each in _values(benchmark, settings.variant))
    groups = _board_groups(benchmark, settings)
    shown = [
        figures.shown_result(each) for found in newest for group in groups if group in found for each in found[group][1]
    ]
    measured = [index % len(variants) for index, each in enumerate(shown) if isinstance(each, data.MeasuredResult)]
    reference = variants.index(settings.reference) if settings.reference in variants else min(measured, default=0)
    cases: list[data.ScenarioCase] = []
    leading: list[data.Fastest] = []
    for load, group in enumerate(groups):
        for target, found in enumerate(newest):
            if group not in found:
                continue
            commit, results = found[group]
            shown = [figures.shown_result(each) for each in results]
            cases += [
                data.ScenarioCase(
                    target=target,
                    commit=commits[commit],
                    load=load,
                    variant=variant,
                    result=shown[variant],
                    ratio=None if variant == reference else figures.ratio(shown[variant], shown[reference]),
                    distribution=figures.distribution(result),
                    profiles=figures.profiles(benchmark, result),
                )
                for variant, result in enumerate(results)
            ]
            if first := figures.fastest(shown):
                leading.append(data.Fastest(target=target, load=load, variants=first))
    return data.ScenarioData(
        name=name,
        benchmark=benchmark.name,
        group=module_of(benchmark.name),
        kind=benchmark.type_word,
        unit=benchmark.unit or "unit",
        variant_parameter=settings.variant,
        load_parameter=settings.load,
        reference=reference,
        variants=variants,
        loads=_loads(benchmark, settings),
        cases=tuple(cases),
        fastest=tuple(leading),
    )


def _loads(benchmark: Benchmark, settings: BoardSettings) -> tuple[data.LoadName, ...]:
    return (NO_LOAD,) if settings.load is None else _values(benchmark, settings.load)


def _values(benchmark: Benchmark, parameter: str) -> tuple[data.LoadName, ...]:
    values = benchmark.params[benchmark.param_names.index(parameter)]
    return tuple(data.LoadName(name=readable(value), parameter=value) for value in dict.fromkeys(values))


def readable(value: str) -> str:
    """Return the text that *value*, a ``repr``, represents; other values unchanged."""
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return text if isinstance(text, str) and text else value


def scenario_names(benchmarks: Sequence[BenchmarkName]) -> tuple[str, ...]:
    """Return the shortest unique name of each of *benchmarks*: its module, its class, or all of it.

    ``sleep.Sleep.time_run`` is ``sleep``; ``io.files.time_run`` is ``io.files``.
    """
    names = [module_of(name) for name in benchmarks]
    for longer in (_class_path, str):
        counts = Counter(names)
        pairs = zip(names, benchmarks, strict=True)
        names = [name if counts[name] == 1 else longer(benchmark) for name, benchmark in pairs]
    return tuple(names)


def module_of(name: str) -> str:
    """Return the module of the benchmark called *name*; its whole name where it has none."""
    *parents, _ = name.split(".")
    if len(parents) > 1 and parents[-1][:1].isupper():
        parents.pop()
    return ".".join(parents) or name


def _class_path(name: str) -> str:
    return name.rpartition(".")[0] or name


def _all_cases(benchmark: Benchmark) -> figures.CaseGroup:
    return benchmark.name, tuple(dict.fromkeys(product(*benchmark.params)))


def _benchmark_figures(
    benchmark: Benchmark, targets: Sequence[MeasuredTarget], newest: Sequence[figures.NewestResults]
) -> BenchmarkFigures:
    group = _all_cases(benchmark)
    results = (
        (target.name, parameters, result)
        for target, found in zip(targets, newest, strict=True)
        if group in found
        for parameters, result in zip(group[1], found[group][1], strict=True)
    )
    return BenchmarkFigures(benchmark=benchmark, results=tuple(results))


def data_notes(
    tree: ResultsTree, untried: Sequence[Benchmark], branches: Sequence[str], shown: Collection[CommitHash]
) -> Iterator[str]:
    """Yield a sentence about everything that the site leaves out; *shown* are the commits of the *branches*."""
    measured = dict.fromkeys(run.commit for run in tree.runs)
    elsewhere = [commit[:8] for commit in measured if commit not in shown]
    if elsewhere:
        verb, pronoun = ("is", "it") if len(elsewhere) == 1 else ("are", "them")
        yield (
            f"{len(elsewhere)} of {len(measured)} commits with results {verb} on no branch shown here "
            f"({', '.join(branches)}); histories place {pronoun} by date: {_enumerate(elsewhere)}."
        )
    if untried:
        names = [benchmark.name for benchmark in untried]
        yield f"Without results of their present version for the Pythons above: {_enumerate(names)}."
    if count := len(tree.problems):
        subject = "One entry" if count == 1 else f"{count} entries"
        problems = _enumerate([str(problem) for problem in tree.problems], "; ")
        yield f"{subject} of the results could not be used: {problems}."


def _enumerate(names: Sequence[str], separator: str = ", ") -> str:
    first = separator.join(names[:MAX_NAMES])
    left = len(names) - MAX_NAMES
    return first if left <= 0 else f"{first} and {left} more"

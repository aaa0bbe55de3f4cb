"""Scenario boards: the variants of a scenario side by side.

A scenario is a benchmark with exactly the parameters that ``[tool.windtunnel.board]`` names.
"""

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.settings import BoardSettings
from windtunnel.model.target import MeasuredTarget
from windtunnel.publish.figures import (
    CaseGroup,
    CellState,
    Figure,
    GroupResults,
    NewestResults,
    cell_state,
    distribution,
    fastest,
    profiles,
    ratio,
)
from windtunnel.publish.format.overview import Distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterValue:
    """A value of a parameter."""

    name: str
    """The name for readers."""
    parameter: str
    """The ``repr`` that asv keeps."""


NO_LOAD = ParameterValue(name="", parameter="")
"""The one load of scenarios without a parameter for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """One variant on a board."""

    variant: ParameterValue
    state: CellState
    ratio: Figure | None
    """The ratio to the reference; None for the reference itself, and where one of the two has no figure."""
    distribution: Distribution | None
    profiles: tuple[tuple[float, ...], ...]
    """The values of each process, where they are in the order of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioBoard:
    """All variants of a scenario at one load and one target, from one run."""

    target: MeasuredTarget
    load: ParameterValue
    commit: CommitHash
    rows: tuple[BoardRow, ...]
    fastest: tuple[ParameterValue, ...]
    """The variant with the smallest value and those whose intervals overlap its own; empty where nothing is clear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A benchmark with all its variants and loads."""

    benchmark: BenchmarkName
    kind: str
    """asv's ``type``."""
    unit: str | None
    settings: BoardSettings
    variants: tuple[ParameterValue, ...]
    reference: ParameterValue
    loads: tuple[ParameterValue, ...]
    boards: tuple[ScenarioBoard, ...]
    """The boards that have results, by load and target."""


def is_scenario(benchmark: Benchmark, settings: BoardSettings | None) -> bool:
    """Return whether *benchmark* has the parameters of a scenario."""
    if settings is None:
        return False
    parameters = {settings.variant} if settings.load is None else {settings.variant, settings.load}
    found = benchmark.param_names
    return len(found) == len(parameters) == len(benchmark.params) and {*found} == parameters and all(benchmark.params)


def board_groups(benchmark: Benchmark, settings: BoardSettings) -> tuple[CaseGroup, ...]:
    """Return the cases of each board of *benchmark*: all variants at one load."""
    return tuple(_board_group(benchmark, settings, load) for load in _loads(benchmark, settings))


def build_scenario(benchmark: Benchmark, results: Sequence[NewestResults], settings: BoardSettings) -> Scenario:
    """Return the boards of *benchmark*, which is a scenario, from its newest *results*."""
    variants, loads = _values(benchmark, settings.variant), _loads(benchmark, settings)
    reference = next((variant for variant in variants if variant.name == settings.reference), variants[0])
    boards = (
        _build_board(benchmark, variants, reference, load, found)
        for load in loads
        for newest in results
        if (found := newest.get(_board_group(benchmark, settings, load)))
    )
    return Scenario(
        benchmark=benchmark.name,
        kind=benchmark.type_word,
        unit=benchmark.unit,
        settings=settings,
        variants=variants,
        reference=reference,
        loads=loads,
        boards=tuple(boards),
    )


def _build_board(
    benchmark: Benchmark,
    variants: Sequence[ParameterValue],
    reference: ParameterValue,
    load: ParameterValue,
    found: GroupResults,
) -> ScenarioBoard:
    states = tuple(map(cell_state, found.results))
    baseline = states[variants.index(reference)]
    rows = tuple(
        BoardRow(
            variant=variant,
            state=state,
            ratio=None if variant == reference else ratio(state, baseline),
            distribution=distribution(result),
            profiles=profiles(benchmark, result),
        )
        for variant, state, result in zip(variants, states, found.results, strict=True)
    )
    leading = fastest([state if isinstance(state, Figure) else None for state in states])
    return ScenarioBoard(
        target=found.target,
        load=load,
        commit=found.commit,
        rows=rows,
        fastest=tuple(variants[index] for index in leading),
    )


def _board_group(benchmark: Benchmark, settings: BoardSettings, load: ParameterValue) -> CaseGroup:
    chosen = {settings.load: load.parameter}
    cases = tuple(
        tuple((chosen | {settings.variant: variant.parameter})[name] for name in benchmark.param_names)
        for variant in _values(benchmark, settings.variant)
    )
    return CaseGroup(benchmark=benchmark, cases=cases)


def _loads(benchmark: Benchmark, settings: BoardSettings) -> tuple[ParameterValue, ...]:
    return (NO_LOAD,) if settings.load is None else _values(benchmark, settings.load)


def _values(benchmark: Benchmark, parameter: str) -> tuple[ParameterValue, ...]:
    values = benchmark.params[benchmark.param_names.index(parameter)]
    return tuple(ParameterValue(name=readable(value), parameter=value) for value in dict.fromkeys(values))


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

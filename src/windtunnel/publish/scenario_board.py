"""The variants of a scenario side by side.

A benchmark with exactly the parameters that ``[tool.windtunnel.board]`` names is a scenario.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.settings import BoardSettings
from windtunnel.model.target import MeasuredTarget
from windtunnel.publish.distribution import Distribution, distribution, profiles
from windtunnel.publish.figure import Figure, Standing, fastest, ratio, standing
from windtunnel.publish.latest import Latest, Newest, Wanted

NO_LOAD = ""
"""The name of the only load where the suite has no parameter for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A value of a parameter: how people read it, and the ``repr`` that asv keeps."""

    name: str
    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One variant on a board; *ratio* to the reference is None for the reference itself and where there is none.

    *profiles* has a tuple for each process where the samples are in the order of time.
    """

    variant: Choice
    standing: Standing
    ratio: Figure | None
    distribution: Distribution | None
    profiles: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All variants of a scenario with one load at one place, from one run of *commit*.

    *fastest* are the variant with the smallest value and those that cannot be told from it; empty where the figures
    do not say.
    """

    place: MeasuredTarget
    load: Choice
    commit: CommitHash
    lines: tuple[Line, ...]
    fastest: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A job in all its variants and loads, and the boards that have results: load by load, place by place."""

    benchmark: BenchmarkName
    kind: str
    """asv's ``type``."""
    unit: str | None
    variants: tuple[Choice, ...]
    reference: Choice
    loads: tuple[Choice, ...]
    boards: tuple[Board, ...]


def is_scenario(benchmark: Benchmark, settings: BoardSettings | None) -> bool:
    """Return whether the variants of *benchmark* can be set side by side; never without *settings*."""
    if settings is None:
        return False
    wanted = [settings.variant] if settings.load is None else [settings.variant, settings.load]
    return (
        sorted(benchmark.param_names) == sorted(wanted)
        and len(benchmark.params) == len(wanted)
        and all(benchmark.params)
    )


def wanted_boards(benchmark: Benchmark, settings: BoardSettings) -> tuple[Wanted, ...]:
    """Return the cases of each board: a load with all variants."""
    return tuple(_wanted(benchmark, load, settings) for load in _loads(benchmark, settings))


def scenario(benchmark: Benchmark, results: Sequence[Newest], settings: BoardSettings) -> Scenario:
    """Set side by side what *results* has of *benchmark*, which is a scenario."""
    variants, loads = _choices(benchmark, settings.variant), _loads(benchmark, settings)
    boards = (
        _board(benchmark, (newest.place, load), found, settings)
        for load in loads
        for newest in results
        if (found := newest.of(_wanted(benchmark, load, settings)))
    )
    return Scenario(
        benchmark=benchmark.name,
        kind=benchmark.type_word,
        unit=benchmark.unit,
        variants=variants,
        reference=_reference(variants, settings),
        loads=loads,
        boards=tuple(boards),
    )


def _board(benchmark: Benchmark, where: tuple[MeasuredTarget, Choice], found: Latest, settings: BoardSettings) -> Board:
    place, load = where
    variants = _choices(benchmark, settings.variant)
    reference = _reference(variants, settings)
    standings = tuple(map(standing, found.results))
    baseline = standings[variants.index(reference)]
    lines = tuple(
        Line(
            variant=variant,
            standing=mine,
            ratio=None if variant == reference else ratio(mine, baseline),
            distribution=distribution(result),
            profiles=profiles(benchmark, result),
        )
        for variant, mine, result in zip(variants, standings, found.results, strict=True)
    )
    leading = fastest([mine if isinstance(mine, Figure) else None for mine in standings])
    return Board(
        place=place, load=load, commit=found.commit, lines=lines, fastest=tuple(variants[index] for index in leading)
    )


def _reference(variants: Sequence[Choice], settings: BoardSettings) -> Choice:
    return next((variant for variant in variants if variant.name == settings.reference), variants[0])


def _wanted(benchmark: Benchmark, load: Choice, settings: BoardSettings) -> Wanted:
    variants = _choices(benchmark, settings.variant)
    if settings.load is None:
        return Wanted(benchmark=benchmark, cases=tuple((variant.parameter,) for variant in variants))
    first = benchmark.param_names[0] == settings.variant
    cases = (
        (variant.parameter, load.parameter) if first else (load.parameter, variant.parameter) for variant in variants
    )
    return Wanted(benchmark=benchmark, cases=tuple(cases))


def _loads(benchmark: Benchmark, settings: BoardSettings) -> tuple[Choice, ...]:
    if settings.load is None:
        return (Choice(name=NO_LOAD, parameter=NO_LOAD),)
    return _choices(benchmark, settings.load)


def _choices(benchmark: Benchmark, parameter: str) -> tuple[Choice, ...]:
    values = benchmark.params[benchmark.param_names.index(parameter)]
    return tuple(Choice(name=readable(value), parameter=value) for value in dict.fromkeys(values))


def readable(value: str) -> str:
    """Return the text that *value*, a ``repr``, stands for; anything but a text as it is."""
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return text if isinstance(text, str) and text else value

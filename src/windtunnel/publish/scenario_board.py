"""The variants of a scenario side by side.

A benchmark with exactly the parameters ``variant`` and ``load`` is a scenario, whatever else its suite is.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.target import MeasuredTarget
from windtunnel.publish.distribution import Distribution, distribution, profiles
from windtunnel.publish.figure import Figure, Standing, fastest, ratio, standing
from windtunnel.publish.latest import Latest, Newest, Wanted

VARIANT = "variant"
LOAD = "load"
REFERENCE = "sync"
"""The variant that the others are compared with; where there is none of this name, the first one."""


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


def is_scenario(benchmark: Benchmark) -> bool:
    """Tell whether the variants of *benchmark* can be set side by side."""
    return sorted(benchmark.param_names) == [LOAD, VARIANT] and len(benchmark.params) == 2 and all(benchmark.params)


def wanted_boards(benchmark: Benchmark) -> tuple[Wanted, ...]:
    """Return the cases of each board: a load with all variants."""
    return tuple(_wanted(benchmark, load) for load in _choices(benchmark, LOAD))


def scenario(benchmark: Benchmark, results: Sequence[Newest]) -> Scenario:
    """Set side by side what *results* has of *benchmark*, which is a scenario."""
    variants, loads = _choices(benchmark, VARIANT), _choices(benchmark, LOAD)
    boards = (
        _board(benchmark, newest.place, load, found)
        for load in loads
        for newest in results
        if (found := newest.of(_wanted(benchmark, load)))
    )
    return Scenario(
        benchmark=benchmark.name,
        kind=benchmark.type_word,
        unit=benchmark.unit,
        variants=variants,
        reference=_reference(variants),
        loads=loads,
        boards=tuple(boards),
    )


def _board(benchmark: Benchmark, place: MeasuredTarget, load: Choice, found: Latest) -> Board:
    variants = _choices(benchmark, VARIANT)
    reference = _reference(variants)
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


def _reference(variants: Sequence[Choice]) -> Choice:
    return next((variant for variant in variants if variant.name == REFERENCE), variants[0])


def _wanted(benchmark: Benchmark, load: Choice) -> Wanted:
    first = benchmark.param_names[0] == VARIANT
    cases = (
        (variant.parameter, load.parameter) if first else (load.parameter, variant.parameter)
        for variant in _choices(benchmark, VARIANT)
    )
    return Wanted(benchmark=benchmark, cases=tuple(cases))


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

"""Benchmarks as ``benchmarks.json`` describes them, and their cases: one for each combination of parameters."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from windtunnel.errors import UsageError
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Fields, Instant, ParameterGrid


class BenchmarkKind(StrEnum):
    """What a benchmark's value is; the value of a member is the word in asv's files."""

    TIME = "time"
    MEMORY = "memory"
    PEAK_MEMORY = "peakmemory"
    TRACK = "track"
    OTHER = "other"
    """A word that asv itself does not have: suites and plugins may bring their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One entry of ``benchmarks.json``.

    *type_word* is asv's ``type`` as written. *extra* holds the rest of the entry: timeout, number, repeat and whatever
    else a suite sets. *last_seen* is when the newest known result of this version was started (0: there is none); it
    decides which of two versions a merge keeps, and is None until a merge has looked.
    """

    name: BenchmarkName
    type_word: str
    unit: str | None = None
    version: BenchmarkVersion | None = None
    param_names: tuple[str, ...] = ()
    params: ParameterGrid = ()
    code: str = ""
    extra: Fields = ()
    last_seen: Instant | None = None

    @property
    def kind(self) -> BenchmarkKind:
        """What the value is."""
        try:
            return BenchmarkKind(self.type_word)
        except ValueError:
            return BenchmarkKind.OTHER


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Case:
    """One combination: its *index* in asv's (``product``) order and its *name*, ``benchmark(value, value)``.

    The name is what asv's ``-b`` matches, and what stays right when a suite gives a parameter another value.
    """

    index: int
    name: str


def cases_of(benchmark: Benchmark) -> tuple[Case, ...]:
    """Return the cases of *benchmark*; one, named like it, when it has no parameters."""
    if not benchmark.params:
        return (Case(index=0, name=benchmark.name),)
    return tuple(
        Case(index=index, name=f"{benchmark.name}({', '.join(values)})")
        for index, values in enumerate(product(*benchmark.params))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A benchmark and which of its cases to time, each in so many processes (*rounds*; 0: as the benchmark says)."""

    benchmark: str
    version: str
    cases: tuple[Case, ...]
    rounds: int = 0


def select(benchmarks: tuple[Benchmark, ...], patterns: tuple[str, ...]) -> Iterator[tuple[Benchmark, Selection]]:
    """Yield each benchmark with those of its cases whose name matches any of *patterns*, as asv's -b does.

    Raises UsageError when a pattern is no regular expression.
    """
    try:
        compiled = [re.compile(pattern) for pattern in patterns]
    except re.error as error:
        raise UsageError(f"--bench {error.pattern!r} is no regular expression: {error}") from None
    for benchmark in benchmarks:
        kept = tuple(case for case in cases_of(benchmark) if not compiled or any(p.search(case.name) for p in compiled))
        if kept:
            yield benchmark, Selection(benchmark=benchmark.name, version=benchmark.version or "", cases=kept)


def only_cases(
    selected: tuple[tuple[Benchmark, Selection], ...], names: AbstractSet[str]
) -> tuple[tuple[Benchmark, Selection], ...]:
    """Return what of *selected* is called any of *names*."""
    kept = (
        (benchmark, replace(selection, cases=tuple(case for case in selection.cases if case.name in names)))
        for benchmark, selection in selected
    )
    return tuple((benchmark, selection) for benchmark, selection in kept if selection.cases)

"""Benchmarks as ``benchmarks.json`` describes them, their cases, and the selection of cases to time."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from msgspec import Struct

from windtunnel.errors import UsageError
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Fields, Instant, ParameterGrid, case_name


class BenchmarkKind(StrEnum):
    """What a benchmark measures; the values are asv's words."""

    TIME = "time"
    MEMORY = "memory"
    PEAK_MEMORY = "peakmemory"
    TRACK = "track"
    OTHER = "other"
    """A type that asv does not have; suites and plugins may define their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One entry of ``benchmarks.json``."""

    name: BenchmarkName
    type_word: str
    """asv's ``type``, as written."""
    unit: str | None = None
    version: BenchmarkVersion | None = None
    param_names: tuple[str, ...] = ()
    params: ParameterGrid = ()
    code: str = ""
    extra: Fields = ()
    """The other keys of the entry: timeout, number, repeat, and whatever the suite sets."""
    last_seen: Instant | None = None
    """Start of the newest known result of this version: 0 when it has none, None before a merge. Newer ones win."""

    @property
    def kind(self) -> BenchmarkKind:
        """What the benchmark measures."""
        try:
            return BenchmarkKind(self.type_word)
        except ValueError:
            return BenchmarkKind.OTHER

    def attribute(self, name: str) -> object:
        """Return the value of the key *name* among ``extra``; None without it."""
        return next((json.loads(each.json) for each in self.extra if each.name == name), None)

    def is_current(self, version: BenchmarkVersion | None) -> bool:
        """Return whether a result of *version* is of this benchmark; as in asv, one without a version is."""
        return version is None or version == self.version


class Case(Struct, frozen=True, kw_only=True, order=True):
    """One combination of a benchmark's parameters."""

    index: int
    """Position in asv's order, which is that of ``itertools.product``."""
    name: str
    """``benchmark(value, value)``, which asv's ``-b`` matches; stays right when a parameter gets another value."""


class Selection(Struct, frozen=True, kw_only=True):
    """The cases of one benchmark to time."""

    benchmark: str
    """Name of the benchmark."""
    version: str
    """Version of the benchmark."""
    cases: tuple[Case, ...]
    """Cases to time."""
    rounds: int = 0
    """Processes of each case; 0 leaves the number to the benchmark."""


Selected = tuple[Benchmark, Selection]


def cases_of(benchmark: Benchmark) -> tuple[Case, ...]:
    """Return the cases of *benchmark*; a benchmark without parameters has one case of its own name."""
    combinations = enumerate(product(*benchmark.params))
    return tuple(Case(index=index, name=case_name(benchmark.name, values)) for index, values in combinations)


def select(benchmarks: tuple[Benchmark, ...], patterns: tuple[str, ...]) -> Iterator[Selected]:
    """Yield each benchmark with the cases whose name matches any of *patterns*, as asv's ``-b`` does.

    Without patterns all cases match. Raises UsageError for an invalid regular expression.
    """
    try:
        compiled = [re.compile(pattern) for pattern in patterns]
    except re.error as error:
        raise UsageError(f"--bench {error.pattern!r} is not a valid regular expression: {error}") from None
    for benchmark in benchmarks:
        kept = tuple(case for case in cases_of(benchmark) if not compiled or any(p.search(case.name) for p in compiled))
        if kept:
            yield benchmark, Selection(benchmark=benchmark.name, version=benchmark.version or "", cases=kept)

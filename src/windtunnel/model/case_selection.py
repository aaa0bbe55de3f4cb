"""Which cases a plan takes: those whose names match, as many as the budget allows."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from windtunnel.errors import UsageError
from windtunnel.model.benchmark import Benchmark, Selection, cases_of


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

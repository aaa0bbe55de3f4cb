"""The cases of a benchmark: one for each combination of its parameters."""

from dataclasses import dataclass
from itertools import product

from windtunnel.model.benchmark import Benchmark


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

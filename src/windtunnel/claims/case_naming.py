"""From the words of a claims file to a case of a benchmark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from windtunnel.claims.claim import Claim, ClaimBook, ClaimedCase
from windtunnel.claims.format import Setting
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, Parameters, case_name

MOST_NAMED = 8
"""Names in a message; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCase:
    """A benchmark with one combination of its parameters."""

    benchmark: Benchmark
    params: Parameters

    @property
    def name(self) -> str:
        """What run records call it."""
        return case_name(self.benchmark.name, self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unnamed:
    """Why no case is what the claim calls so."""

    reason: str


def claimed_cases(benchmarks: Mapping[BenchmarkName, Benchmark], book: ClaimBook) -> frozenset[str]:
    """Return the names of all cases that any claim of *book* speaks of, with each value of what it gives them."""
    named = (
        named_case(benchmarks, side, given)
        for claim in (*book.claims, *((book.canary,) if book.canary else ()))
        for given in choices(claim)
        for side in claim.cases
    )
    return frozenset(case.name for case in named if isinstance(case, NamedCase))


def choices(claim: Claim) -> tuple[tuple[Setting, ...], ...]:
    """Return what all cases of *claim* may share, the preferred choice first."""
    names = [one.name for one in claim.given]
    return tuple(
        tuple(Setting(name=name, value=value) for name, value in zip(names, values, strict=True))
        for values in product(*(one.values for one in claim.given))
    )


def named_case(
    benchmarks: Mapping[BenchmarkName, Benchmark], case: ClaimedCase, given: Sequence[Setting]
) -> NamedCase | Unnamed:
    """Return the case that *case* names, *given* what it leaves open; parameters that it lacks are not given to it."""
    benchmark = benchmarks.get(case.benchmark)
    if benchmark is None:
        return Unnamed(reason=f"these results have no benchmark {case.benchmark}")
    told = {one.name: one.value for one in (*given, *case.settings)}
    if strange := [one.name for one in case.settings if one.name not in benchmark.param_names]:
        return Unnamed(
            reason=f"{case.benchmark} has no parameter {strange[0]!r}; it has {_listed(benchmark.param_names)}"
        )
    for name, values in zip(benchmark.param_names, benchmark.params, strict=False):
        if name not in told:
            return Unnamed(reason=f"the claim does not say which {name} of {case.benchmark}: {_listed(values)}")
        if told[name] not in values:
            return Unnamed(reason=f"{case.benchmark} has no {name} {told[name]}; it has {_listed(values)}")
    return NamedCase(benchmark=benchmark, params=tuple(told[name] for name in benchmark.param_names))


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "none"
    left = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {left} more" if left > 0 else "")

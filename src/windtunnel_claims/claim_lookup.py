"""Finds the cases of claims among the benchmarks of a suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, Parameters, case_name
from windtunnel_claims.claim import ClaimedCase
from windtunnel_claims.format import Setting

MAX_LISTED = 8
"""The names that a message lists; it counts the rest."""

Benchmarks = Mapping[BenchmarkName, Benchmark]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCase:
    """A benchmark with one combination of its parameters."""

    benchmark: Benchmark
    """The benchmark."""
    params: Parameters
    """The values of its parameters."""

    @property
    def name(self) -> str:
        """The name of the case in run records."""
        return case_name(self.benchmark.name, self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownCase:
    """A case that the benchmarks do not have."""

    reason: str
    """What is missing."""


def find_case(benchmarks: Benchmarks, case: ClaimedCase, given: Sequence[Setting]) -> FoundCase | UnknownCase:
    """Return the case that *case* names; *given* sets the parameters that it leaves open, if the benchmark has them."""
    benchmark = benchmarks.get(case.benchmark)
    if benchmark is None:
        return UnknownCase(reason=f"these results have no benchmark {case.benchmark}")
    values = {setting.name: setting.value for setting in (*given, *case.settings)}
    if unknown := [setting.name for setting in case.settings if setting.name not in benchmark.param_names]:
        return UnknownCase(
            reason=f"{case.benchmark} has no parameter {unknown[0]!r}; it has {_listed(benchmark.param_names)}"
        )
    for name, known in zip(benchmark.param_names, benchmark.params, strict=False):
        if name not in values:
            return UnknownCase(reason=f"the claim does not set {name} of {case.benchmark}: {_listed(known)}")
        if values[name] not in known:
            return UnknownCase(reason=f"{case.benchmark} has no {name} {values[name]}; it has {_listed(known)}")
    return FoundCase(benchmark=benchmark, params=tuple(values[name] for name in benchmark.param_names))


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "none"
    left = len(names) - MAX_LISTED
    return ", ".join(names[:MAX_LISTED]) + (f" and {left} more" if left > 0 else "")

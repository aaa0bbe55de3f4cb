"""Which cases two suites have in common, so that they can be compared, and which they have not."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeGuard

from windtunnel.compare.format import NotCompared
from windtunnel.compare.schedule import ComparableCase
from windtunnel.model.benchmark import Benchmark, BenchmarkKind, Case, Selection
from windtunnel.model.identity import Parameters
from windtunnel.model.measure import CaseIdentity, MeasureKind, unit_better
from windtunnel.model.settings import Expectation, case_expectation

OWN_THRESHOLD = "windtunnel_threshold"
"""Attribute of a benchmark that says which relative change of it matters."""

LONGEST_QUOTE = 80
"""Characters of what a benchmark says in place of a threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparableCases:
    """What takes part, and what does not because only one commit has it or it means something else now.

    *notes* are what the verdict has to say of those that take part.
    """

    cases: tuple[ComparableCase, ...]
    added: tuple[NotCompared, ...]
    removed: tuple[NotCompared, ...]
    incomparable: tuple[NotCompared, ...]
    notes: tuple[str, ...] = ()


Selected = Sequence[tuple[Benchmark, Selection]]
"""Benchmarks of a suite and which of their cases are wanted."""


def match_cases(
    base: Selected, head: Selected, environment: str, expectations: Sequence[Expectation]
) -> ComparableCases:
    """Return how what is wanted of *head*'s suite stands to what is wanted of *base*'s."""
    before, after = _wanted(base), _wanted(head)
    cases: list[ComparableCase] = []
    added: list[NotCompared] = []
    incomparable: list[NotCompared] = []
    for name, (benchmark, selected) in after.items():
        whole = CaseIdentity(benchmark=name, environment=environment)
        old = before.get(name)
        if old is None:
            added.append(_left_out(whole))
        elif old[0].version != benchmark.version:
            incomparable.append(_left_out(whole, "its version changed: it measures something else now"))
        else:
            for params, case in selected.items():
                who = CaseIdentity(benchmark=name, params=params, environment=environment)
                if params in old[1]:
                    cases.append(_entrant(benchmark, case, who, expectations))
                else:
                    added.append(_left_out(who))
    return ComparableCases(
        cases=tuple(cases),
        added=tuple(added),
        removed=tuple(_removed(before, after, environment)),
        incomparable=tuple(incomparable),
        notes=_unheard(after[name][0] for name in dict.fromkeys(one.benchmark for one in cases)),
    )


_Wanted = Mapping[str, tuple[Benchmark, Mapping[Parameters, Case]]]


def _wanted(selected: Selected) -> _Wanted:
    """Return each benchmark with its cases by the values of their parameters."""
    wanted = {}
    for benchmark, selection in selected:
        combinations = tuple(product(*benchmark.params))
        wanted[str(benchmark.name)] = benchmark, {combinations[case.index]: case for case in selection.cases}
    return wanted


def _removed(before: _Wanted, after: _Wanted, environment: str) -> Sequence[NotCompared]:
    gone = []
    for name, (old, cases) in before.items():
        new = after.get(name)
        if new is None:
            gone.append(_left_out(CaseIdentity(benchmark=name, environment=environment)))
        elif new[0].version == old.version:
            missing = (params for params in cases if params not in new[1])
            gone += [_left_out(CaseIdentity(benchmark=name, params=one, environment=environment)) for one in missing]
    return gone


def _entrant(
    benchmark: Benchmark, case: Case, who: CaseIdentity, expectations: Sequence[Expectation]
) -> ComparableCase:
    usual = Expectation(match="", better=unit_better(benchmark))
    wanted = case_expectation(who, (*_with_own(benchmark, expectations), usual))
    timed = benchmark.kind is BenchmarkKind.TIME or benchmark.unit == "seconds"
    return ComparableCase(
        benchmark=who.benchmark,
        params=who.params,
        environment=who.environment,
        case=case,
        unit=benchmark.unit or ("seconds" if timed else "unit"),
        kind=MeasureKind.TIME if timed else MeasureKind.OTHER,
        better=wanted.better,
        threshold=wanted.threshold,
    )


def _with_own(benchmark: Benchmark, expectations: Sequence[Expectation]) -> tuple[Expectation, ...]:
    """Put what the benchmark says of itself behind what the project says of it by name, before what it says of all."""
    own = _own(benchmark)
    if not _is_threshold(own):
        return tuple(expectations)
    named = [one for one in expectations if one.match]
    usual = [one for one in expectations if not one.match]
    return (*named, Expectation(match="", threshold=own), *usual)


def _own(benchmark: Benchmark) -> object:
    """Return what the benchmark says of its threshold, None where it says nothing."""
    return next((json.loads(one.json) for one in benchmark.extra if one.name == OWN_THRESHOLD), None)


def _is_threshold(own: object) -> TypeGuard[float]:
    return isinstance(own, int | float) and not isinstance(own, bool) and 0 < own < float("inf")


def _unheard(benchmarks: Iterable[Benchmark]) -> tuple[str, ...]:
    """Return a sentence for each of *benchmarks* whose own threshold is none."""
    said = {benchmark.name: _own(benchmark) for benchmark in benchmarks}
    return tuple(
        f"{name}: its {OWN_THRESHOLD} is {str(own)[:LONGEST_QUOTE]}, no number above zero, and does not count; "
        "write 0.1 for 10 %."
        for name, own in said.items()
        if own is not None and not _is_threshold(own)
    )


def _left_out(case: CaseIdentity, reason: str = "") -> NotCompared:
    return NotCompared(benchmark=case.benchmark, params=case.params, environment=case.environment, reason=reason)

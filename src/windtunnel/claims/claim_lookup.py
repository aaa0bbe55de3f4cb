"""From the words of a claims file to a case of a benchmark."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from windtunnel.claims.claim import Claim, ClaimBook, ClaimedCase
from windtunnel.claims.format import Setting
from windtunnel.model.benchmark import Benchmark, BenchmarkKind
from windtunnel.model.identity import BenchmarkName, Parameters, case_name
from windtunnel.model.result import Failed, Measured, Result
from windtunnel.model.run import Run
from windtunnel.model.run_format import RunRecord, State, last_line
from windtunnel.model.target import MeasuredTarget

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


LOOKED_BACK = 50
"""Runs of a place that are looked at, newest first: enough to see a claim flip, few enough to read."""

NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A case of a claim and its *result* in a run; without one, *absence* says why.

    *tried*: the run set out to measure it. What only was not selected has not been tried.
    """

    benchmark: BenchmarkName
    params: Parameters = ()
    unit: str | None = None
    timed: bool = True
    tried: bool = False
    result: Measured | None = None
    absence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What a run (None: no run) has of the cases of each of a claim's tests and figures, *given* what they share."""

    run: Run | None
    given: tuple[Setting, ...]
    sides: tuple[tuple[Side, ...], ...]
    beside: tuple[tuple[Side, ...], ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every side was tried, so that a better run need not be looked for."""
        return all(side.tried for sides in self.sides for side in sides)

    @property
    def begun(self) -> bool:
        """Whether any side was tried."""
        return any(side.tried for sides in self.sides for side in sides)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """Why cases have no value, as run records tell: by machine, environment, commit and case."""

    told: Mapping[tuple[str, str, str, str], str]

    @classmethod
    def of(cls, records: Sequence[RunRecord]) -> "Reasons":
        """Collect what *records*, oldest first, tell."""
        return cls(
            told={
                (
                    record.machine.name,
                    task.environment,
                    task.commit,
                    case.case,
                ): f"{case.state}: {last_line(case.reason)}"
                for record in records
                for task in record.tasks
                for case in task.cases
                if case.state is not State.MEASURED
            }
        )

    def of_case(self, run: Run, case: NamedCase) -> str:
        """Return why *run* has no value of *case*, empty where nobody said."""
        return self.told.get((run.machine, run.environment.name, run.commit, case.name), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trying:
    """Looks claims up in the runs of places."""

    benchmarks: Mapping[BenchmarkName, Benchmark]
    reasons: Reasons

    def attempts(self, claim: Claim, place: MeasuredTarget) -> tuple[Attempt, ...]:
        """Return what the runs of *place* have of *claim*, newest first; what is given is the same in all of them: the
        first choice, in the claim's own order, that was ever tried here. Without any, one attempt without a run.
        """
        for given in choices(claim):
            found = tuple(self._attempts(claim, place, given))
            if found:
                return found
        return (replace(self.attempt(claim, choices(claim)[-1], None), given=()),)

    def attempt(self, claim: Claim, given: tuple[Setting, ...], run: Run | None) -> Attempt:
        """Return what *run* has of *claim*."""
        return Attempt(
            run=run,
            given=given,
            sides=tuple(self._sides(test.cases, given, run) for test in claim.tests),
            beside=tuple(self._sides(figure.cases, given, run) for figure in claim.figures),
        )

    def _attempts(self, claim: Claim, place: MeasuredTarget, given: tuple[Setting, ...]) -> Iterator[Attempt]:
        for run in place.runs[:LOOKED_BACK]:
            attempt = self.attempt(claim, given, run)
            if attempt.begun:
                yield attempt

    def _sides(self, cases: Sequence[ClaimedCase], given: Sequence[Setting], run: Run | None) -> tuple[Side, ...]:
        return tuple(self._side(case, given, run) for case in cases)

    def _side(self, claimed: ClaimedCase, given: Sequence[Setting], run: Run | None) -> Side:
        case = named_case(self.benchmarks, claimed, given)
        if isinstance(case, Unnamed):
            return Side(benchmark=claimed.benchmark, absence=case.reason)
        result = _result(run, case) if run else None
        told = self.reasons.of_case(run, case) if run else ""
        return Side(
            benchmark=case.benchmark.name,
            params=case.params,
            unit=case.benchmark.unit,
            timed=case.benchmark.kind is BenchmarkKind.TIME or case.benchmark.unit == "seconds",
            tried=bool(told) or isinstance(result, Measured | Failed),
            result=result if isinstance(result, Measured) else None,
            absence="" if isinstance(result, Measured) else f"{case.name} {told or _absence(result)}",
        )


def _result(run: Run, case: NamedCase) -> Result | None:
    row = run.row(case.benchmark.name)
    # as in asv: results of another version are not comparable; a row without a version fits every version
    if row is None or (row.version is not None and row.version != case.benchmark.version):
        return None
    return row.result(case.params)


def _absence(result: Result | None) -> str:
    return "failed" if isinstance(result, Failed) else NOT_MEASURED

"""Finds the results of a claim's cases in the runs of a target."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.claims.claim import Claim, ClaimedCase
from windtunnel.claims.claims_file import ClaimsFile
from windtunnel.claims.format import Setting
from windtunnel.model.benchmark import Benchmark, BenchmarkKind
from windtunnel.model.identity import BenchmarkName, Parameters, case_name
from windtunnel.model.result import Failed, Measured, Result
from windtunnel.model.run import Run
from windtunnel.model.run_format import CaseState, RunRecord, error_line

MAX_RUNS = 50
"""The runs of a target that are searched, newest first: enough to see a decision flip, and few enough to read."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEvidence:
    """The result of a case in a run, or why there is none."""

    benchmark: BenchmarkName
    """The benchmark."""
    params: Parameters = ()
    """The values of its parameters."""
    unit: str | None = None
    """The unit of its values."""
    is_time: bool = True
    """Whether its values are times."""
    was_tried: bool = False
    """Whether the run tried to measure it; a case that was not selected was not tried."""
    result: Measured | None = None
    """The result; None if there is none."""
    absence: str = ""
    """Why the result is missing; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimEvidence:
    """The results of a claim's cases in one run."""

    run: Run | None
    """The run; None if no run tried any case."""
    given: tuple[Setting, ...]
    """The parameters that all cases share."""
    tests: tuple[tuple[CaseEvidence, ...], ...]
    """The cases of each test."""
    figures: tuple[tuple[CaseEvidence, ...], ...] = ()
    """The cases of each figure."""

    @property
    def is_complete(self) -> bool:
        """Whether every case of the tests was tried."""
        return all(case.was_tried for cases in self.tests for case in cases)

    @property
    def is_partial(self) -> bool:
        """Whether any case of the tests was tried."""
        return any(case.was_tried for cases in self.tests for case in cases)


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


def claimed_cases(claims: ClaimsFile, benchmarks: Sequence[Benchmark]) -> frozenset[str]:
    """Return the names of all cases of *benchmarks* that any claim or the control in *claims* may use."""
    by_name = {benchmark.name: benchmark for benchmark in benchmarks}
    found = (
        find_case(by_name, case, given)
        for claim in claims.all_claims
        for given in claim.choices()
        for case in claim.cases
    )
    return frozenset(case.name for case in found if isinstance(case, FoundCase))


def absence_reasons(records: Sequence[RunRecord]) -> Mapping[tuple[str, str, str, str], str]:
    """Return why cases have no value, by machine, environment, commit and case; later *records* take precedence."""
    return {
        (record.machine.name, task.environment, task.commit, case.case): f"{case.state}: {error_line(case.reason)}"
        for record in records
        for task in record.tasks
        for case in task.cases
        if case.state is not CaseState.MEASURED
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLookup:
    """Looks up the cases of claims in runs."""

    benchmarks: Benchmarks
    """The benchmarks of the suite."""
    reasons: Mapping[tuple[str, str, str, str], str]
    """Why cases have no value: what ``absence_reasons`` returns."""

    def find(self, claim: Claim, runs: Sequence[Run]) -> tuple[ClaimEvidence, ...]:
        """Return the evidence of each of the *runs* of a target that tried a case of *claim*; they are newest first.

        All of it has the same given parameters: the first choice of the claim that any run tried. If no run tried any
        choice, the only evidence has no run.
        """
        choices = tuple(claim.choices())
        for given in choices:
            evidence = (self.find_in_run(claim, given, run) for run in runs[:MAX_RUNS])
            if found := tuple(each for each in evidence if each.is_partial):
                return found
        return (replace(self.find_in_run(claim, choices[-1], None), given=()),)

    def find_in_run(self, claim: Claim, given: tuple[Setting, ...], run: Run | None) -> ClaimEvidence:
        """Return the evidence of *run* for *claim* with the parameters *given*."""
        return ClaimEvidence(
            run=run,
            given=given,
            tests=tuple(tuple(self._cases(test.cases, given, run)) for test in claim.tests),
            figures=tuple(tuple(self._cases(figure.cases, given, run)) for figure in claim.figures),
        )

    def _cases(self, cases: Sequence[ClaimedCase], given: Sequence[Setting], run: Run | None) -> Iterator[CaseEvidence]:
        for claimed in cases:
            case = find_case(self.benchmarks, claimed, given)
            if isinstance(case, UnknownCase):
                yield CaseEvidence(benchmark=claimed.benchmark, absence=case.reason)
            else:
                yield self._case(case, run)

    def _case(self, case: FoundCase, run: Run | None) -> CaseEvidence:
        result = _result(run, case) if run else None
        reason = self.reasons.get((run.machine, run.environment.name, run.commit, case.name), "") if run else ""
        absence = reason or ("failed" if isinstance(result, Failed) else "not measured")
        return CaseEvidence(
            benchmark=case.benchmark.name,
            params=case.params,
            unit=case.benchmark.unit,
            is_time=case.benchmark.kind is BenchmarkKind.TIME or case.benchmark.unit == "seconds",
            was_tried=bool(reason) or isinstance(result, Measured | Failed),
            result=result if isinstance(result, Measured) else None,
            absence="" if isinstance(result, Measured) else f"{case.name} {absence}",
        )


def _result(run: Run, case: FoundCase) -> Result | None:
    row = run.row(case.benchmark.name)
    # as in asv: results of another version are not comparable; a row without a version fits every version
    if row is None or not case.benchmark.is_current(row.version):
        return None
    return row.result(case.params)


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "none"
    left = len(names) - MAX_LISTED
    return ", ".join(names[:MAX_LISTED]) + (f" and {left} more" if left > 0 else "")

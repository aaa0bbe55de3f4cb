"""Which cases of claims have their instructions counted, and the series that hold the counts.

A count hardly varies, so each case is counted once, before the first block; a later call keeps the counts.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from windtunnel.model.schedule import ComparedCommit
from windtunnel.model.witness import CountedCase, InstructionCounts
from windtunnel_claims.claim import Claim
from windtunnel_claims.claim_lookup import Benchmarks, FoundCase, find_case
from windtunnel_claims.samples_format import MAX_REASON, CaseOfSeries, ClaimSeries
from windtunnel_claims.series_plan import case_index


def cases_to_count(
    series: Iterable[ClaimSeries], claims: Mapping[str, Claim], selected: frozenset[str], benchmarks: Benchmarks
) -> dict[str, CountedCase]:
    """Return the cases, by name, whose instructions the *selected* claims ask for and that have no counts yet.

    A case that could not be counted before is tried again. Figures decide nothing, so theirs are not counted.
    """
    found: dict[str, CountedCase] = {}
    for each in series:
        described = {case.name: case for case in each.cases}
        asking = [claims[claim] for claim in each.claims if claim in selected and claims[claim].instructions]
        for claimed in (case for claim in asking for test in claim.tests for case in test.cases):
            case = find_case(benchmarks, claimed, each.given)
            if isinstance(case, FoundCase) and _lacks_counts(described.get(case.name)):
                found[case.name] = CountedCase(
                    commit=ComparedCommit.HEAD,
                    benchmark=case.benchmark.name,
                    index=case_index(case.benchmark, case.params),
                )
    return found


def add_counts(series: ClaimSeries, counts: Mapping[str, InstructionCounts]) -> ClaimSeries:
    """Return *series* with the *counts* of its cases, which are by name; other cases keep theirs."""
    cases = tuple(
        replace(case, instructions=_limited(counts[case.name])) if case.name in counts else case
        for case in series.cases
    )
    return replace(series, cases=cases)


def keep_counts(series: ClaimSeries, earlier: Iterable[ClaimSeries]) -> ClaimSeries:
    """Return *series* with the counts that *earlier* series have of the same versions of its cases."""
    known = {
        (case.name, case.version): case.instructions
        for one in earlier
        for case in one.cases
        if case.instructions is not None
    }
    cases = tuple(replace(case, instructions=known.get((case.name, case.version))) for case in series.cases)
    return replace(series, cases=cases)


def _lacks_counts(case: CaseOfSeries | None) -> bool:
    if case is None or case.absence:
        return False
    return case.instructions is None or not (case.instructions.per_call or case.instructions.other_threads)


def _limited(counts: InstructionCounts) -> InstructionCounts:
    return replace(counts, reason=counts.reason.strip()[-MAX_REASON:])

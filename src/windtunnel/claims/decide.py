"""Decides claims from stored results: a claim holds, fails, or is undecided or out of scope at a target.

A test holds if the whole interval of its ratio lies within the band, and fails if it lies outside, so a wrong decision
needs an interval that misses the true ratio. The tests of a claim share the probability of a miss equally (Boole's
inequality), so the confidence is that of the claim, whatever the dependence between its tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.claims.band import Band, claimed_band
from windtunnel.claims.claim import Claim, ClaimTest, Statistic
from windtunnel.claims.claim_lookup import CaseEvidence, ClaimEvidence
from windtunnel.claims.decide_blocks import UNKNOWN_CORES, overall_decision
from windtunnel.claims.evidence import Estimator, NoEstimate, RatioEstimate, process_count
from windtunnel.claims.figures import compute_figure
from windtunnel.claims.format import Basis, ClaimTarget, DecidedClaim, DecidedTest, Decision, Measurement
from windtunnel.model.run import DatedCommit
from windtunnel.text import numbers

CONFIDENCE = 0.95
"""The confidence that all intervals of a claim hold at once. For a wrong decision, the interval must miss in one
direction, so the probability is half: 2.5 %."""


def decide_claim(claim: Claim, target: ClaimTarget, evidence: ClaimEvidence) -> DecidedClaim:
    """Return what *evidence* decides about *claim*."""
    estimator = Estimator(statistic=claim.statistic, miss=(1 - CONFIDENCE) / len(claim.tests))
    tests = tuple(
        decide_test(test, cases, estimator, target.cores)
        for test, cases in zip(claim.tests, evidence.tests, strict=True)
    )
    decision, decisive = overall_decision(tests)
    misses = [1 - test.confidence for test in tests if test.confidence is not None]
    run = evidence.run
    return DecidedClaim(
        claim=claim.id,
        target=target.name,
        decision=decision,
        reason=tests[decisive].reason,
        given=evidence.given,
        commit=run.commit if run else None,
        date=DatedCommit(hash=run.commit, date=run.date / 1000).day if run else "",
        confidence=max(0.0, 1 - sum(misses)) if misses else None,
        decisive=decisive,
        tests=tests,
        figures=tuple(
            compute_figure(figure, cases, evidence.given, claim.statistic)
            for figure, cases in zip(claim.figures, evidence.figures, strict=True)
        ),
    )


def decide_test(test: ClaimTest, cases: Sequence[CaseEvidence], estimator: Estimator, cores: int | None) -> DecidedTest:
    """Return the decision on *test*; *cases* are its cases, *cores* those of the machine (None: unknown)."""
    band, found = claimed_band(test, cores), estimator.ratio(cases)
    outcome = _outcome(found, band)
    estimate = found if isinstance(found, RatioEstimate) else None
    contender, baseline = found.case_values or (None, None)
    return DecidedTest(
        contender=_measurement(cases[0], contender, estimator.statistic),
        baseline=_measurement(cases[1], baseline, estimator.statistic),
        low=band.low if band else None,
        high=band.high if band else None,
        published=test.published,
        decision=outcome.decision,
        reason=outcome.reason,
        ratio=estimate.ratio if estimate else None,
        interval=estimate.interval if estimate else None,
        confidence=estimate.confidence if estimate else None,
        basis=estimate.basis if estimate else None,
        processes_needed=outcome.processes_needed,
        divided_by=tuple(_measurement(case, None, estimator.statistic) for case in cases[2:]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """The decision on a test, why it is undecided, and how many more processes would decide it."""

    decision: Decision
    reason: str = ""
    processes_needed: int | None = None


def _outcome(found: RatioEstimate | NoEstimate, band: Band | None) -> _Outcome:
    if isinstance(found, NoEstimate):
        needed = found.processes_needed
        advice = f"; {_advice(needed)}" if needed else ""
        return _Outcome(decision=Decision.UNDECIDED, reason=found.reason + advice, processes_needed=needed)
    if band is None:
        return _Outcome(decision=Decision.UNDECIDED, reason=UNKNOWN_CORES)
    decision = band.decide(found.interval)
    if decision is not Decision.UNDECIDED:
        return _Outcome(decision=decision)
    if found.basis is Basis.SAMPLES:
        return _Outcome(decision=decision, reason="the interval crosses an end of the band; measure more")
    needed = found.processes_needed(band.nearest_end(found.ratio))
    advice = _advice(needed) if needed else "the ratio is too close to it for more processes to help"
    reason = f"the interval crosses an end of the band; {advice}"
    return _Outcome(decision=decision, reason=reason, processes_needed=needed)


def _advice(needed: int) -> str:
    return f"needs {numbers.count(needed, 'more process', 'more processes')} a side"


def _measurement(case: CaseEvidence, value: float | None, statistic: Statistic) -> Measurement:
    return Measurement(
        benchmark=case.benchmark,
        params=case.params,
        value=value,
        unit=statistic.unit(case.unit),
        processes=process_count(case.result) if case.result else 0,
        samples=len(case.result.samples or ()) if case.result else 0,
    )

"""One test of a claim: is the ratio of two cases, as far as it is known, within its band?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.claims.claim import Claim, ClaimTest, Ends, Scope, Statistic, ends
from windtunnel.claims.claim_lookup import Attempt, Side
from windtunnel.claims.evidence import Asked, Known, Unknown, evidence, processes_of
from windtunnel.claims.figures import stated
from windtunnel.claims.format import Basis, ClaimPlace, DecidedClaim, DecidedTest, Decision, Measurement
from windtunnel.model.commit_history import DatedCommit

OVER_AN_END = "the interval reaches over an end of the band"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On which terms a test is decided: of which statistic, at which chance to miss, on how many cores."""

    statistic: Statistic
    miss: float
    cores: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What is said of a test."""

    decision: Decision
    reason: str = ""
    needed: int | None = None


def decided_test(test: ClaimTest, sides: Sequence[Side], terms: Terms) -> DecidedTest:
    """Return the decision on *test* whose cases are *sides*."""
    band, found = ends(test.band, terms.cores), found_of(sides, terms)
    said = _said(found, band)
    known = found if isinstance(found, Known) else None
    values = found.values or (None, None)
    return DecidedTest(
        contender=_measurement(sides[0], values[0]),
        baseline=_measurement(sides[1], values[1]),
        low=band.low if band else None,
        high=band.high if band else None,
        article=test.article,
        decision=said.decision,
        reason=said.reason,
        ratio=known.ratio if known else None,
        interval=known.interval if known else None,
        confidence=known.confidence if known else None,
        basis=known.basis if known else None,
        processes_needed=said.needed,
        divided_by=tuple(_measurement(side, None) for side in sides[2:]),
    )


def found_of(sides: Sequence[Side], terms: Terms) -> Known | Unknown:
    """Return what is known of the ratio of two *sides*, or of four."""
    results = [side.result for side in sides if side.result is not None]
    if len(results) < len(sides):
        return Unknown(reason=next(side.absence for side in sides if side.result is None))
    for contender, baseline in zip(sides[::2], sides[1::2], strict=True):
        if contender.unit != baseline.unit:
            return Unknown(reason=f"{contender.unit} and {baseline.unit} have no ratio")
    asked = Asked(statistic=terms.statistic, miss=terms.miss, timed=any(side.timed for side in sides))
    return evidence(results, asked)


def _said(found: Known | Unknown, band: Ends | None) -> _Said:
    if isinstance(found, Unknown):
        more = f"; {_more(found.needed)}" if found.needed else ""
        return _Said(decision=Decision.UNDECIDED, reason=found.reason + more, needed=found.needed)
    if band is None:
        return _Said(decision=Decision.UNDECIDED, reason="the machine does not say how many cores it has")
    decision = band.decide(found.interval)
    if decision is not Decision.UNDECIDED:
        return _Said(decision=decision)
    if found.basis is Basis.SAMPLES:
        return _Said(decision=decision, reason=f"{OVER_AN_END}; measure more")
    needed = found.needed(band.nearest(found.ratio))
    advice = _more(needed) if needed else "the ratio lies too near it for more processes to help"
    return _Said(decision=decision, reason=f"{OVER_AN_END}; {advice}", needed=needed)


def _more(needed: int) -> str:
    return f"needs {needed} more {'process' if needed == 1 else 'processes'} a side"


def _measurement(side: Side, value: float | None) -> Measurement:
    samples = side.result.samples or () if side.result else ()
    return Measurement(
        benchmark=side.benchmark,
        params=side.params,
        value=value,
        unit=side.unit,
        processes=processes_of(side.result) if side.result else 0,
        samples=len(samples),
    )


CONFIDENCE = 0.95
"""That all intervals of a claim hold at once: the customary level. A decision is wrong only where one misses on the
side of an end of the band, half as often."""


def out_of_scope(scope: Scope, place: ClaimPlace) -> str:
    """Return why a claim is not about *place*, empty where it is."""
    if scope.python and not re.fullmatch(scope.python, place.python):
        return f"said of Pythons that match {scope.python}"
    if scope.gil is not None and scope.gil is not place.gil:
        return f"said of Pythons {'with' if scope.gil else 'without'} the global interpreter lock"
    if place.cores is not None and place.cores < scope.cores:
        return f"said of {scope.cores} cores and more"
    return ""


def decided(claim: Claim, place: ClaimPlace, attempt: Attempt) -> DecidedClaim:
    """Return what *attempt* decides of *claim*."""
    terms = Terms(statistic=claim.statistic, miss=(1 - CONFIDENCE) / len(claim.tests), cores=place.cores)
    pairs = zip(claim.tests, attempt.sides, strict=True)
    tests = tuple(decided_test(test, sides, terms) for test, sides in pairs)
    decision, decisive = _together(tests)
    reached = [one.confidence for one in tests if one.confidence is not None]
    run = attempt.run
    return DecidedClaim(
        claim=claim.id,
        place=place.name,
        decision=decision,
        reason=tests[decisive].reason,
        given=attempt.given,
        commit=run.commit if run else None,
        date=DatedCommit(hash=run.commit, date=run.date / 1000).day if run else "",
        confidence=max(0.0, 1 - sum(1 - each for each in reached)) if reached else None,
        decisive=decisive,
        tests=tests,
        figures=tuple(
            stated(figure, sides, attempt.given, terms)
            for figure, sides in zip(claim.figures, attempt.beside, strict=True)
        ),
    )


def outside(claim: Claim, place: ClaimPlace, reason: str) -> DecidedClaim:
    """Return *claim* as out of scope at *place*."""
    return DecidedClaim(
        claim=claim.id,
        place=place.name,
        decision=Decision.OUT_OF_SCOPE,
        reason=reason,
        given=(),
        commit=None,
        date="",
        confidence=None,
        decisive=0,
        tests=(),
    )


def _together(tests: tuple[DecidedTest, ...]) -> tuple[Decision, int]:
    """Return the decision on a claim with these *tests* and the first of them that has the same."""
    decisions = [one.decision for one in tests]
    worst = next((each for each in (Decision.FAILS, Decision.UNDECIDED) if each in decisions), Decision.HOLDS)
    return worst, decisions.index(worst)

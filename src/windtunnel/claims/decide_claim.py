"""A claim at a place: holds, fails, undecided or out of scope, from the intervals of its ratios.

A claim holds where the interval of every ratio lies within its band, fails where one lies wholly outside; so a wrong
decision needs an interval that misses. A claim of several tests gives each an equal part of what it may miss (Boole's
inequality), so that the level belongs to the claim, however its tests depend on each other.
"""

import re

from windtunnel.claims.claim import Claim, Scope
from windtunnel.claims.claim_lookup import Attempt
from windtunnel.claims.decide_test import Terms, decided_test
from windtunnel.claims.figures import stated
from windtunnel.claims.format import ClaimPlace, DecidedClaim, DecidedTest, Decision
from windtunnel.model.commit_history import DatedCommit

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

"""The canary: a ratio that is known beforehand. Of a run that shows another, nothing is believed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.claims.claim import Claim
from windtunnel.claims.claim_lookup import Trying, choices
from windtunnel.claims.decide import Terms, decided_test
from windtunnel.claims.format import ClaimPlace, DecidedClaim, DecidedTest, Decision
from windtunnel.model.identity import CommitHash
from windtunnel.model.target import MeasuredTarget

ANY_MISS = 0.05
"""Of an interval that nobody looks at: the canary is read as it stands."""

Sung = Mapping[CommitHash, DecidedTest | None]
"""What the canary shows of each run of a place, None where it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """Listens to the runs of places."""

    claim: Claim | None
    trying: Trying

    def hear(self, place: MeasuredTarget, listed: ClaimPlace) -> Sung:
        """Return what it shows of every run of *place*."""
        claim = self.claim
        if claim is None:
            return {}
        terms = Terms(statistic=claim.statistic, miss=ANY_MISS, cores=listed.cores)
        heard: dict[CommitHash, DecidedTest | None] = {}
        for run in place.runs:
            tests = (
                decided_test(claim.tests[0], self.trying.attempt(claim, given, run).sides[0], terms)
                for given in choices(claim)
            )
            test = next((test for test in tests if _ratio(test) is not None), None)
            if heard.get(run.commit) is None or (test is not None and _is_off(test)):  # one of two runs is enough
                heard[run.commit] = test
        return heard


def believed(decision: DecidedClaim, heard: Sung) -> DecidedClaim:
    """Return *decision*, undecided where the canary of its run shows that it was disturbed."""
    test = heard.get(decision.commit) if decision.commit else None
    if test is None or not _is_off(test):
        return decision
    reason = f"the canary of this run shows {_ratio(test):.3g}, not {_band(test)}: it was disturbed; measure again"
    return replace(decision, decision=Decision.UNDECIDED, reason=reason)


def notes(decisions: Sequence[DecidedClaim], places: Mapping[str, Sung]) -> Iterator[str]:
    """Yield a sentence for each run that decisions rest on and the canary speaks against, or says nothing of."""
    for name, sung in places.items():
        rested = {one.commit for one in decisions if one.place == name}
        for commit, test in sung.items():
            if commit not in rested:
                continue
            run = f"{name}, commit {commit[:8]}"
            if test is None:
                yield f"{run}: the canary was not measured, so nobody knows how disturbed the run was."
            elif _is_off(test):
                yield (
                    f"{run}: the canary shows {_ratio(test):.3g}, not {_band(test)}; "
                    "the run was disturbed, and nothing is decided from it."
                )


def _ratio(test: DecidedTest) -> float | None:
    """Return the ratio as it stands, interval or not."""
    if test.ratio is not None:
        return test.ratio
    above, below = test.contender.value, test.baseline.value
    return above / below if above and below else None


def _is_off(test: DecidedTest) -> bool:
    ratio = _ratio(test)
    low, high = -float("inf") if test.low is None else test.low, float("inf") if test.high is None else test.high
    return ratio is not None and not low <= ratio <= high


def _band(test: DecidedTest) -> str:
    ends = [f"{end:.3g}" for end in (test.low, test.high) if end is not None]
    return " to ".join(ends)

"""The control: a claim whose ratio is known. Runs whose control ratio is off are discarded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.claims.claim_lookup import ClaimLookup
from windtunnel.claims.claims_file import Control
from windtunnel.claims.decide import Band, decide_test
from windtunnel.claims.evidence import Estimator
from windtunnel.claims.format import ClaimTarget, DecidedClaim, DecidedTest, Decision
from windtunnel.model.identity import CommitHash
from windtunnel.model.target import MeasuredTarget

ANY_MISS = 0.05
"""The probability of a miss of the control's interval, which is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlResult:
    """The control ratio of a run."""

    ratio: float
    """The measured ratio."""
    band: Band
    """The band that it must lie in."""

    @property
    def is_off(self) -> bool:
        """Whether the ratio lies outside its band."""
        return not self.band.includes(self.ratio)

    def __str__(self) -> str:
        """Return the ratio and its band in words."""
        ends = [f"{end:.3g}" for end in (self.band.low, self.band.high) if end is not None]
        return f"{self.ratio:.3g}, not {' to '.join(ends)}"


ControlResults = Mapping[CommitHash, ControlResult | None]
"""The control result of each commit of a target; None if it was not measured."""


def measure_control(
    control: Control | None, lookup: ClaimLookup, target: MeasuredTarget, described: ClaimTarget
) -> ControlResults:
    """Return the result of *control* in each run of *target*; of several runs of a commit, one that is off counts."""
    if control is None:
        return {}
    claim, estimator = control.claim, Estimator(statistic=control.statistic, miss=ANY_MISS)
    results: dict[CommitHash, ControlResult | None] = {}
    for run in target.runs:
        tests = (
            decide_test(control, lookup.find_in_run(claim, given, run).tests[0], estimator, described.cores)
            for given in claim.choices()
        )
        result = next(filter(None, map(_result, tests)), None)
        if results.get(run.commit) is None or (result and result.is_off):
            results[run.commit] = result
    return results


def apply_control(decision: DecidedClaim, results: ControlResults) -> DecidedClaim:
    """Return *decision*, undecided if the control ratio of its run is off."""
    result = results.get(decision.commit) if decision.commit else None
    if result is None or not result.is_off:
        return decision
    reason = f"the control ratio of this run is {result}: the run was disturbed; measure again"
    return replace(decision, decision=Decision.UNDECIDED, reason=reason)


def control_notes(decisions: Sequence[DecidedClaim], targets: Mapping[str, ControlResults]) -> Iterator[str]:
    """Yield a sentence for each run with decisions whose control ratio is off or not measured."""
    for name, results in targets.items():
        used = {decision.commit for decision in decisions if decision.target == name}
        for commit, result in results.items():
            run = f"{name}, commit {commit[:8]}"
            if commit in used and result is None:
                yield f"{run}: the control was not measured, so disturbances of the run are unknown."
            elif commit in used and result and result.is_off:
                yield f"{run}: the control ratio is {result}; the run was disturbed, and it decides nothing."


def _result(test: DecidedTest) -> ControlResult | None:
    """Return the ratio of *test*, with or without an interval; None if a case has no value."""
    ratio = test.ratio
    if ratio is None and test.contender.value and test.baseline.value:
        ratio = test.contender.value / test.baseline.value
    return None if ratio is None else ControlResult(ratio=ratio, band=Band(low=test.low, high=test.high))

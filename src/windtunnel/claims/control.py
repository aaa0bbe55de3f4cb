"""Controls: ratios that are known. A run whose control is off decides nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.claims.band import Band
from windtunnel.claims.claim_lookup import ClaimLookup
from windtunnel.claims.claims_file import Control
from windtunnel.claims.decide import decide_test
from windtunnel.claims.evidence import Estimator
from windtunnel.claims.format import ClaimTarget, DecidedClaim, DecidedTest, Decision
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run
from windtunnel.model.target import MeasuredTarget

ANY_MISS = 0.05
"""The probability of a miss of the control's interval, which is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlResult:
    """The ratio of a control in a run."""

    control: str
    """The id of the control."""
    ratio: float | None
    """The measured ratio; None if the control was not measured."""
    band: Band
    """The band that it must lie in."""

    @property
    def is_off(self) -> bool:
        """Whether the ratio lies outside its band."""
        return self.ratio is not None and not self.band.includes(self.ratio)

    def __str__(self) -> str:
        """Return the ratio and its band in words."""
        ends = [f"{end:.3g}" for end in (self.band.low, self.band.high) if end is not None]
        return f"the ratio of the control {self.control!r} is {self.ratio:.3g}, not {' to '.join(ends)}"


ControlResults = Mapping[CommitHash, tuple[ControlResult, ...]]
"""The result of each control at each commit of a target."""


def measure_controls(
    controls: Sequence[Control], lookup: ClaimLookup, target: MeasuredTarget, described: ClaimTarget
) -> ControlResults:
    """Return the results of *controls* in each run of *target*; of several runs of a commit, one that is off counts."""
    results: dict[CommitHash, tuple[ControlResult, ...]] = {}
    for run in target.runs if controls else ():
        found = tuple(_measure(control, lookup, run, described.cores) for control in controls)
        known = results.get(run.commit, found)
        results[run.commit] = tuple(
            new if old.ratio is None or new.is_off else old for old, new in zip(known, found, strict=True)
        )
    return results


def apply_controls(decision: DecidedClaim, results: ControlResults) -> DecidedClaim:
    """Return *decision*, undecided if a control of its run is off."""
    off = [result for result in _of_commit(decision.commit, results) if result.is_off]
    if not off:
        return decision
    reason = f"{off[0]}: the run was disturbed; measure again"
    return replace(decision, decision=Decision.UNDECIDED, reason=reason)


def control_notes(decisions: Sequence[DecidedClaim], targets: Mapping[str, ControlResults]) -> Iterator[str]:
    """Yield a sentence for each control that is off or not measured in a run with decisions."""
    for name, results in targets.items():
        used = {decision.commit for decision in decisions if decision.target == name}
        for commit in (each for each in results if each in used):
            run = f"{name}, commit {commit[:8]}"
            for result in results[commit]:
                if result.ratio is None:
                    yield f"{run}: the control {result.control!r} was not measured; it cannot show a disturbance."
                elif result.is_off:
                    yield f"{run}: {result}; the run was disturbed, and it decides nothing."


def _of_commit(commit: CommitHash | None, results: ControlResults) -> tuple[ControlResult, ...]:
    return results.get(commit, ()) if commit else ()


def _measure(control: Control, lookup: ClaimLookup, run: Run, cores: int | None) -> ControlResult:
    """Return the ratio of *control* in *run*, with the first given parameters that the run has."""
    estimator = Estimator(statistic=control.statistic, miss=ANY_MISS)
    found = None
    for given in control.claim.choices():
        test = decide_test(control, lookup.find_in_run(control.claim, given, run).tests[0], estimator, cores)
        found = found or _result(control.id, test)
    return found or ControlResult(control=control.id, ratio=None, band=Band())


def _result(control: str, test: DecidedTest) -> ControlResult | None:
    """Return the ratio of *test*, with or without an interval; None if a case has no value."""
    ratio = test.ratio
    if ratio is None and test.contender.value and test.baseline.value:
        ratio = test.contender.value / test.baseline.value
    if ratio is None:
        return None
    return ControlResult(control=control, ratio=ratio, band=Band(low=test.low, high=test.high))

"""Controls: ratios that are known. What is measured with a control that is off decides nothing.

A run has one value of a control, so it is off if its ratio lies outside its band. Blocks show how much the ratio
scatters, so the control is off if the interval of all its blocks lies outside.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.claims.band import Band, claimed_band
from windtunnel.claims.block_values import BlockValues
from windtunnel.claims.claim_lookup import ClaimLookup
from windtunnel.claims.claims_file import Control
from windtunnel.claims.decide import decide_test
from windtunnel.claims.decide_blocks import BlockDecider
from windtunnel.claims.evidence import Estimator
from windtunnel.claims.format import DecidedClaim, DecidedTest, Decision
from windtunnel.claims.replay import ReplayRule, analyse_all
from windtunnel.claims.samples_format import ClaimSamples
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run

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

    is_off: bool
    """Whether the ratio shows a disturbance."""

    def __str__(self) -> str:
        """Return the ratio and its band in words."""
        ends = [f"{end:.3g}" for end in (self.band.low, self.band.high) if end is not None]
        return f"the ratio of the control {self.control!r} is {self.ratio:.3g}, not {' to '.join(ends)}"


ControlResults = Mapping[CommitHash, tuple[ControlResult, ...]]
"""The result of each control at each commit of a target."""


def measure_controls(
    controls: Sequence[Control], lookup: ClaimLookup, runs: Sequence[Run], cores: int | None
) -> ControlResults:
    """Return the results of *controls* in each of *runs*; of several runs of a commit, one that is off counts."""
    found = ((run.commit, tuple(_measure(control, lookup, run, cores) for control in controls)) for run in runs)
    return _worst(found)


def measure_controls_in_blocks(
    controls: Sequence[Control], decider: BlockDecider, samples: Sequence[ClaimSamples], cores: int | None
) -> ControlResults:
    """Return the results of *controls* in the blocks of each commit in *samples*."""
    return _worst(
        (each.commit, tuple(measure_control_in_blocks(control, decider, each, cores) for control in controls))
        for each in samples
    )


def measure_control_in_blocks(
    control: Control, decider: BlockDecider, samples: ClaimSamples, cores: int | None
) -> ControlResult:
    """Return the result of *control* in *samples*: a single analysis of all its blocks, at the error of an analysis."""
    series = next((each for each in samples.series if control.id in each.claims), None)
    band = claimed_band(control, cores)
    values = series and decider.values(series, control.cases, control.statistic)
    if not isinstance(values, BlockValues) or band is None:
        return _not_measured(control)
    measuring = decider.measuring
    rule = ReplayRule(analyses=measuring.analyses, error=measuring.error, band=band, floor=values.floor)
    found = analyse_all(values.differences.tolist(), rule)
    return ControlResult(control=control.id, ratio=found.ratio, band=band, is_off=found.decision is Decision.FAILS)


def _worst(found: Iterable[tuple[CommitHash, tuple[ControlResult, ...]]]) -> ControlResults:
    """Return the results of each commit; of several of a commit, one that is off counts."""
    results: dict[CommitHash, tuple[ControlResult, ...]] = {}
    for commit, new in found:
        known = results.get(commit, new)
        results[commit] = tuple(
            later if earlier.ratio is None or later.is_off else earlier
            for earlier, later in zip(known, new, strict=True)
        )
    return results


def apply_controls(decision: DecidedClaim, results: ControlResults) -> DecidedClaim:
    """Return *decision*, undecided if a control of its run is off."""
    off = [result for result in _of_commit(decision.commit, results) if result.is_off]
    if not off:
        return decision
    reason = f"{off[0]}: the run was disturbed; measure again"
    return replace(decision, decision=Decision.UNDECIDED, reason=reason, p_value=None)


def control_notes(target: str, decisions: Sequence[DecidedClaim], *results: ControlResults) -> Iterator[str]:
    """Yield a sentence for each control that is off or not measured where *decisions* of *target* come from."""
    for each in results:
        used = {decision.commit for decision in decisions}
        for commit in (known for known in each if known in used):
            run = f"{target}, commit {commit[:8]}"
            for result in each[commit]:
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
    return found or _not_measured(control)


def _not_measured(control: Control) -> ControlResult:
    return ControlResult(control=control.id, ratio=None, band=Band(), is_off=False)


def _result(control: str, test: DecidedTest) -> ControlResult | None:
    """Return the ratio of *test*, with or without an interval; None if a case has no value."""
    ratio = test.ratio
    if ratio is None and test.contender.value and test.baseline.value:
        ratio = test.contender.value / test.baseline.value
    if ratio is None:
        return None
    band = Band(low=test.low, high=test.high)
    return ControlResult(control=control, ratio=ratio, band=band, is_off=not band.includes(ratio))

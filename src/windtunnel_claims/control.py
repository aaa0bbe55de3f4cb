"""Controls: ratios that are known. What is measured with a control that is off decides nothing.

A control is off if the interval of all its blocks of a commit lies outside its band.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from windtunnel.model.identity import CommitHash
from windtunnel_claims.band import claimed_band
from windtunnel_claims.block_values import BlockValues
from windtunnel_claims.claims_file import Control
from windtunnel_claims.decide_blocks import BlockDecider
from windtunnel_claims.format import DecidedClaim, Decision
from windtunnel_claims.replay import ReplayRule, analyse_all
from windtunnel_claims.samples_format import ClaimSamples

Shown = Mapping[CommitHash, Mapping[str, str | None]]
"""What each control shows at each commit of a target, by its id: a sentence if it is off, an empty one if it is right,
None if it was not measured."""


def measure_controls(
    controls: Sequence[Control], decider: BlockDecider, samples: Sequence[ClaimSamples], cores: int | None
) -> Shown:
    """Return what *controls* show in the blocks of each commit; one that is off counts."""
    found: dict[CommitHash, dict[str, str | None]] = {}
    for each in samples:
        known = found.setdefault(each.commit, {})
        for control in controls:
            shown = measure_control(control, decider, each, cores)
            if shown or known.get(control.id) is None:
                known[control.id] = shown
    return found


def measure_control(control: Control, decider: BlockDecider, samples: ClaimSamples, cores: int | None) -> str | None:
    """Return what *control* shows in *samples*: a single analysis of all its blocks, at the error of an analysis."""
    series = next((each for each in samples.series if control.id in each.claims), None)
    band = claimed_band(control, cores)
    values = series and decider.values(series, control.cases, control.statistic)
    if not isinstance(values, BlockValues) or band is None:
        return None
    measuring = decider.measuring
    rule = ReplayRule(analyses=measuring.analyses, error=measuring.error, band=band, floor=values.floor)
    found = analyse_all(values.differences.tolist(), rule)
    if found.decision is not Decision.FAILS:
        return ""
    ends = [f"{end:.3g}" for end in (band.low, band.high) if end is not None]
    return f"the ratio of the control {control.id!r} is {found.ratio:.3g}, not {' to '.join(ends)}"


def apply_controls(decision: DecidedClaim, shown: Shown) -> DecidedClaim:
    """Return *decision*, undecided if a control of its commit is off."""
    off = [text for text in shown.get(decision.commit or CommitHash(""), {}).values() if text]
    if not off:
        return decision
    reason = f"{off[0]}: the run was disturbed; measure again"
    return replace(decision, decision=Decision.UNDECIDED, reason=reason, p_value=None)


def control_notes(target: str, decisions: Sequence[DecidedClaim], shown: Shown) -> Iterator[str]:
    """Yield a sentence for each control that is off or not measured where *decisions* of *target* come from."""
    used = {decision.commit for decision in decisions}
    for commit, controls in shown.items():
        if commit in used:
            where = f"{target}, commit {commit[:8]}"
            for control, text in controls.items():
                if text is None:
                    yield f"{where}: the control {control!r} was not measured; it cannot show a disturbance."
                elif text:
                    yield f"{where}: {text}; the run was disturbed, and it decides nothing."

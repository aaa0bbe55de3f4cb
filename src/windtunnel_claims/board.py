"""The claim board: the decision on every claim at every target, and decisions that changed between two commits.

Controls are ratios that are known. What is measured with a control that is off decides nothing: a control is off if the
interval of all its blocks of a commit lies outside its band.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from windtunnel.model.identity import CommitHash, MachineName
from windtunnel.model.target import natural_order
from windtunnel_claims import format as boards
from windtunnel_claims.block_values import Benchmarks, BlockValues
from windtunnel_claims.claim import Claim
from windtunnel_claims.claims_file import ClaimsFile
from windtunnel_claims.decide import FALSE_DISCOVERY_RATE, BlockDecider, apply_false_discovery_rate
from windtunnel_claims.findings import decide_findings
from windtunnel_claims.replay import ReplayRule, analyse_all
from windtunnel_claims.samples_format import ClaimSamples

Shown = Mapping[CommitHash, Mapping[str, str | None]]
"""What each control shows at each commit of a target, by its id: a sentence if it is off, an empty one if it is right,
None if it was not measured."""


def measure_controls(controls: Sequence[Claim], decider: BlockDecider, samples: Sequence[ClaimSamples]) -> Shown:
    """Return what *controls* show in the blocks of each commit; one that is off counts."""
    found: dict[CommitHash, dict[str, str | None]] = {}
    for each in samples:
        known = found.setdefault(each.commit, {})
        for control in controls:
            shown = measure_control(control, decider, each)
            if shown or known.get(control.id) is None:
                known[control.id] = shown
    return found


def measure_control(control: Claim, decider: BlockDecider, samples: ClaimSamples) -> str | None:
    """Return what *control* shows in *samples*: a single analysis of all its blocks, at the error of an analysis."""
    series = next((each for each in samples.series if control.id in each.claims), None)
    band = control.tests[0].band
    values = series and decider.values(series, control.tests[0].cases, control.statistic)
    if not isinstance(values, BlockValues):
        return None
    measuring = decider.measuring
    rule = ReplayRule(analyses=measuring.analyses, error=measuring.error, band=band, floor=values.floor)
    found = analyse_all(values.differences.tolist(), rule)
    if found.decision is not boards.Decision.FAILS:
        return ""
    ends = [f"{end:.3g}" for end in band.ends]
    return f"the ratio of the control {control.id!r} is {found.ratio:.3g}, not {' to '.join(ends)}"


def control_notes(target: str, decisions: Sequence[boards.DecidedClaim], shown: Shown) -> Iterator[str]:
    """Yield a sentence for each control that is off or not measured where *decisions* of *target* come from."""
    for commit in dict.fromkeys(decision.commit for decision in decisions if decision.commit):
        for control, text in shown.get(commit, {}).items():
            if text != "":
                said = text or f"the control {control!r} was not measured; it cannot show a disturbance"
                disturbed = "; the run was disturbed, and it decides nothing" if text else ""
                yield f"{target}, commit {commit[:8]}: {said}{disturbed}."


NOT_MEASURED = "not measured; windtunnel measure-claims measures it"


def claim_board(claims: ClaimsFile, benchmarks: Benchmarks, samples: Sequence[ClaimSamples]) -> boards.ClaimBoard:
    """Return the decisions on *claims* that the blocks in *samples* allow."""
    decider = BlockDecider(benchmarks=benchmarks, measuring=claims.measuring)
    decisions: list[boards.DecidedClaim] = []
    notes: list[str] = []
    targets = board_targets(samples)
    for target, here in targets:
        controls = measure_controls(claims.controls, decider, here)
        found = [_with_flip([*_decisions(claim, target, here, decider, controls)]) for claim in claims.claims]
        decided = apply_false_discovery_rate(found)
        decisions += decided
        notes += control_notes(target.name, decided, controls)
    order = {claim.id: at for at, claim in enumerate(claims.claims)}
    ordered = tuple(sorted(decisions, key=lambda decision: order[decision.claim]))
    listed = tuple(target for target, _ in targets)
    return boards.ClaimBoard(
        schema=boards.SCHEMA,
        sources=claims.listed_sources,
        claims=tuple(claims.statement(claim) for claim in claims.claims),
        targets=listed,
        decisions=ordered,
        notes=tuple(notes),
        findings=decide_findings(claims.findings, ordered, listed),
        false_discovery_rate=FALSE_DISCOVERY_RATE,
        analyses=claims.measuring.analyses,
        error=claims.measuring.error,
        awake=next((b.awake for one in samples for each in one.series for b in each.blocks if b.awake), ""),
    )


FREE_THREADED = re.compile(r"\d[\d.]*t")
"""The versions that asv writes for builds of CPython without a global interpreter lock."""


def target_of(samples: ClaimSamples) -> boards.ClaimTarget:
    """Return the target of *samples*, named for its Python."""
    build = samples.build
    return boards.ClaimTarget(
        name=samples.python,
        python=samples.python,
        machine=MachineName(samples.machine.name),
        environment=samples.environment,
        cores=samples.machine.cores if samples.machine.cores > 0 else None,
        gil=not FREE_THREADED.fullmatch(samples.python),
        build=", ".join(filter(None, (build.version, build.compiler, build.options))) if build else "",
    )


def board_targets(samples: Sequence[ClaimSamples]) -> tuple[tuple[boards.ClaimTarget, tuple[ClaimSamples, ...]], ...]:
    """Return the targets of each machine, its Pythons ascending, with their *samples*, the newest commit first.

    Environments of a Python count together, because an added library makes a new one, and earlier decisions stay valid
    until the cases are measured again. Where the newest commit was measured in several, each is a target.
    """
    newest = sorted(samples, key=lambda each: (-each.date, -each.ended))
    groups: dict[tuple[str, str], list[ClaimSamples]] = {}
    for each in newest:
        groups.setdefault((each.machine.name, each.python), []).append(each)
    found: list[tuple[boards.ClaimTarget, tuple[ClaimSamples, ...]]] = []
    for machine in dict.fromkeys(each.machine.name for each in newest):
        here = {python: group for (name, python), group in groups.items() if name == machine}
        for python in sorted(here, key=natural_order):
            group = here[python]
            now = dict.fromkeys(each.environment for each in group if each.commit == group[0].commit)
            for environment in now:
                same = [each for each in group if len(now) == 1 or each.environment == environment]
                found.append((target_of(same[0]), tuple(same)))
    for field in ("machine", "environment"):
        counts = Counter(target.name for target, _ in found)
        found = [
            (replace(target, name=f"{target.name}, {getattr(target, field)}"), same)
            if counts[target.name] > 1
            else (target, same)
            for target, same in found
        ]
    return tuple(found)


def _decisions(
    claim: Claim, target: boards.ClaimTarget, samples: Sequence[ClaimSamples], decider: BlockDecider, controls: Shown
) -> Iterator[boards.DecidedClaim]:
    """Yield the decision on *claim* at *target*, then those of older commits.

    The newest blocks that reached an analysis decide; if there are none, the newest blocks give the reason.
    """
    if reason := claim.scope.exclusion(target):
        yield boards.DecidedClaim(
            claim=claim.id, target=target.name, decision=boards.Decision.OUT_OF_SCOPE, reason=reason
        )
        return
    found = []
    listed = ((each, series) for each in samples for series in each.series if claim.id in series.claims)
    for measured, series in listed:
        decision = decider.decide(claim, series, measured, target).decision
        if off := [text for text in controls[measured.commit].values() if text]:
            reason = f"{off[0]}: the run was disturbed; measure again"
            decision = replace(decision, decision=boards.Decision.UNDECIDED, reason=reason, p_value=None)
        found.append(decision)
    analysed = [decision for decision in found if any(test.blocks for test in decision.tests)]
    missing = boards.DecidedClaim(
        claim=claim.id, target=target.name, decision=boards.Decision.UNDECIDED, reason=NOT_MEASURED
    )
    yield from analysed or found[:1] or [missing]


def _with_flip(decisions: Sequence[boards.DecidedClaim]) -> boards.DecidedClaim:
    """Return the first of *decisions*, the newest, with the earlier one that differs."""
    newest, *earlier = decisions
    flips = (each for each in earlier if each.is_decided and each.holds is not newest.holds)
    if not newest.is_decided or (before := next(flips, None)) is None:
        return newest
    return replace(newest, before=before.decision, before_commit=before.commit)

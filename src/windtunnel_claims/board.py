"""The claim board: the decision on every claim at every target, and the decisions that flip."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from windtunnel.model.identity import MachineName
from windtunnel.model.target import natural_order
from windtunnel_claims.claim import Claim
from windtunnel_claims.claim_lookup import Benchmarks
from windtunnel_claims.claims_file import ClaimsFile
from windtunnel_claims.control import Shown, apply_controls, control_notes, measure_controls
from windtunnel_claims.decide_blocks import (
    FALSE_DISCOVERY_RATE,
    BlockDecider,
    apply_false_discovery_rate,
    not_measured,
)
from windtunnel_claims.findings import decide_findings
from windtunnel_claims.format import (
    SCHEMA,
    ClaimBoard,
    ClaimSource,
    ClaimTarget,
    CommitFlip,
    DecidedClaim,
    Decision,
    Setting,
    TargetFlip,
)
from windtunnel_claims.samples_format import ClaimSamples

NOT_MEASURED = "not measured; windtunnel measure-claims measures it"


def claim_board(claims: ClaimsFile, benchmarks: Benchmarks, samples: Sequence[ClaimSamples]) -> ClaimBoard:
    """Return the decisions on *claims* that the blocks in *samples* allow."""
    decider = BlockDecider(benchmarks=benchmarks, measuring=claims.measuring)
    decisions: list[DecidedClaim] = []
    flips: list[CommitFlip] = []
    notes: list[str] = []
    targets = board_targets(samples)
    for target, here in targets:
        controls = measure_controls(claims.controls, decider, here, target.cores)
        found = [[*_decisions(claim, target, here, decider, controls)] for claim in claims.claims]
        decided = apply_false_discovery_rate([each[0] for each in found])
        decisions += decided
        flips += [flip for each in found for flip in _commit_flips(each)]
        notes += control_notes(target.name, decided, controls)
    order = {claim.id: at for at, claim in enumerate(claims.claims)}
    ordered = tuple(sorted(decisions, key=lambda decision: order[decision.claim]))
    listed = tuple(target for target, _ in targets)
    return ClaimBoard(
        schema=SCHEMA,
        sources=tuple(ClaimSource(id=key, title=title) for key, title in claims.sources.items()),
        claims=tuple(claim.statement for claim in claims.claims),
        targets=listed,
        decisions=ordered,
        commit_flips=tuple(sorted(flips, key=lambda flip: order[flip.claim])),
        target_flips=tuple(_target_flips(ordered, listed)),
        notes=tuple(notes),
        findings=decide_findings(claims.findings, ordered, listed),
        false_discovery_rate=FALSE_DISCOVERY_RATE,
        analyses=claims.measuring.analyses,
        error=claims.measuring.error,
    )


FREE_THREADED = re.compile(r"\d[\d.]*t")
"""The versions that asv writes for builds of CPython without a global interpreter lock."""


def target_of(samples: ClaimSamples) -> ClaimTarget:
    """Return the target of *samples*, named for its Python."""
    return ClaimTarget(
        name=samples.python,
        python=samples.python,
        machine=MachineName(samples.machine.name),
        environment=samples.environment,
        cores=samples.machine.cores if samples.machine.cores > 0 else None,
        gil=not FREE_THREADED.fullmatch(samples.python),
    )


def board_targets(samples: Sequence[ClaimSamples]) -> tuple[tuple[ClaimTarget, tuple[ClaimSamples, ...]], ...]:
    """Return the targets of each machine, its Pythons ascending, with their *samples*, the newest commit first.

    Environments of a Python count together, because an added library makes a new one, and earlier decisions stay valid
    until the cases are measured again. Where the newest commit was measured in several, each is a target.
    """
    newest = sorted(samples, key=lambda each: (-each.date, -each.ended))
    groups: dict[tuple[str, str], list[ClaimSamples]] = {}
    for each in newest:
        groups.setdefault((each.machine.name, each.python), []).append(each)
    found: list[tuple[ClaimTarget, tuple[ClaimSamples, ...]]] = []
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
    claim: Claim, target: ClaimTarget, samples: Sequence[ClaimSamples], decider: BlockDecider, controls: Shown
) -> Iterator[DecidedClaim]:
    """Yield the decision on *claim* at *target*, then those of older commits.

    The newest blocks that reached an analysis decide; if there are none, the newest blocks give the reason.
    """
    if reason := claim.scope.exclusion(target):
        yield not_measured(claim, target, Decision.OUT_OF_SCOPE, reason)
        return
    found = [
        apply_controls(decider.decide(claim, series, each, target).decision, controls)
        for each in samples
        for series in each.series
        if claim.id in series.claims
    ]
    analysed = [decision for decision in found if any(test.blocks for test in decision.tests)]
    yield from analysed or found[:1] or [not_measured(claim, target, Decision.UNDECIDED, NOT_MEASURED)]


def _commit_flips(decisions: Sequence[DecidedClaim]) -> Iterator[CommitFlip]:
    """Yield the flips among *decisions* on one claim at one target, newest first."""
    for after, before in pairwise(each for each in decisions if each.is_decided):
        if after.decision is not before.decision and after.commit and before.commit:
            yield CommitFlip(
                claim=after.claim,
                target=after.target,
                given=after.given,
                before=before.decision,
                before_commit=before.commit,
                after=after.decision,
                after_commit=after.commit,
            )


def _target_flips(decisions: Sequence[DecidedClaim], targets: Sequence[ClaimTarget]) -> Iterator[TargetFlip]:
    """Yield the claims that hold at one target of a machine and fail at another with the same given parameters."""
    machines: Mapping[str, MachineName] = {target.name: target.machine for target in targets}
    groups: dict[tuple[str, MachineName, tuple[Setting, ...]], list[DecidedClaim]] = {}
    for decision in decisions:
        if decision.is_decided:
            groups.setdefault((decision.claim, machines[decision.target], decision.given), []).append(decision)
    for (claim, machine, given), group in groups.items():
        holds = tuple(each.target for each in group if each.decision is Decision.HOLDS)
        fails = tuple(each.target for each in group if each.decision is Decision.FAILS)
        if holds and fails:
            yield TargetFlip(claim=claim, machine=machine, given=given, holds=holds, fails=fails)

"""The claim board: the decision on every claim at every target, and the decisions that flip."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from windtunnel.claims.claim import Claim
from windtunnel.claims.claim_lookup import ClaimLookup, absence_reasons
from windtunnel.claims.claims_file import ClaimsFile
from windtunnel.claims.control import (
    ControlResults,
    apply_controls,
    control_notes,
    measure_controls,
    measure_controls_in_blocks,
)
from windtunnel.claims.decide import CONFIDENCE, decide_claim
from windtunnel.claims.decide_blocks import (
    FALSE_DISCOVERY_RATE,
    BlockDecider,
    apply_false_discovery_rate,
    out_of_scope,
)
from windtunnel.claims.findings import decide_findings
from windtunnel.claims.format import (
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
from windtunnel.claims.samples_format import ClaimSamples, ClaimSeries
from windtunnel.claims.targets import BoardTarget, board_targets
from windtunnel.model.identity import CommitHash, MachineName
from windtunnel.model.run import ResultsTree
from windtunnel.model.run_format import RunRecord


def claim_board(
    claims: ClaimsFile,
    tree: ResultsTree,
    history: Sequence[CommitHash],
    records: Sequence[RunRecord] = (),
    samples: Sequence[ClaimSamples] = (),
) -> ClaimBoard:
    """Return the decisions on *claims* that the results in *tree* and the blocks in *samples* allow.

    *history* holds the commits of the project's branches, newest first. *records* say why cases have no value.
    """
    benchmarks = {benchmark.name: benchmark for benchmark in tree.benchmarks}
    lookup = ClaimLookup(benchmarks=benchmarks, reasons=absence_reasons(records))
    decider = BlockDecider(benchmarks=benchmarks, measuring=claims.measuring)
    decisions: list[DecidedClaim] = []
    flips: list[CommitFlip] = []
    notes: list[str] = []
    targets = board_targets(tree, history, samples)
    listed = tuple(target.described(tree.machines) for target in targets)
    for target, described in zip(targets, listed, strict=True):
        here = _TargetDecisions(
            target=target,
            described=described,
            lookup=lookup,
            decider=decider,
            controls=measure_controls(claims.controls, lookup, target.runs, described.cores),
            block_controls=measure_controls_in_blocks(claims.controls, decider, target.samples, described.cores),
        )
        found = [here.decide(claim) for claim in claims.claims]
        decided = apply_false_discovery_rate([decision for decision, _ in found])
        decisions += decided
        flips += [flip for _, commit_flips in found for flip in commit_flips]
        notes += control_notes(described.name, decided, here.controls, here.block_controls)
    order = {claim.id: at for at, claim in enumerate(claims.claims)}
    ordered = tuple(sorted(decisions, key=lambda decision: order[decision.claim]))
    return ClaimBoard(
        schema=SCHEMA,
        confidence=CONFIDENCE,
        sources=tuple(ClaimSource(id=key, title=title) for key, title in claims.sources.items()),
        claims=tuple(claim.statement for claim in claims.claims),
        targets=listed,
        decisions=ordered,
        commit_flips=tuple(sorted(flips, key=lambda flip: order[flip.claim])),
        target_flips=tuple(_target_flips(ordered, listed)),
        notes=tuple(notes),
        findings=decide_findings(claims.findings, ordered, listed),
        false_discovery_rate=FALSE_DISCOVERY_RATE if samples else None,
        analyses=claims.measuring.analyses if samples else (),
        error=claims.measuring.error if samples else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _TargetDecisions:
    """Decides claims at a target: from blocks where it has them, else from stored results."""

    target: BoardTarget
    described: ClaimTarget
    lookup: ClaimLookup
    decider: BlockDecider
    controls: ControlResults
    """The controls in its runs."""
    block_controls: ControlResults
    """The controls in its blocks."""

    def decide(self, claim: Claim) -> tuple[DecidedClaim, tuple[CommitFlip, ...]]:
        """Return the decision on *claim*, and its flips.

        The newest blocks that reached an analysis decide. Without any, the newest run that tried all cases decides; if
        there is none, the newest that tried any.
        """
        if reason := claim.scope.exclusion(self.described):
            return out_of_scope(claim, self.described, reason), ()
        blocks = [*self._from_blocks(claim)]
        if analysed := [decision for decision in blocks if any(test.blocks for test in decision.tests)]:
            return analysed[0], tuple(_commit_flips(analysed))
        evidence = self.lookup.find(claim, self.target.runs)
        stored = [apply_controls(decide_claim(claim, self.described, each), self.controls) for each in evidence]
        chosen = next((index for index, each in enumerate(evidence) if each.is_complete), 0)
        if blocks and not stored[chosen].is_measured:
            return blocks[0], ()
        return stored[chosen], tuple(_commit_flips(stored))

    def _from_blocks(self, claim: Claim) -> Iterator[DecidedClaim]:
        """Yield what the blocks of each commit decide, newest first."""
        for samples, series in _series_of(claim.id, self.target.samples):
            found = self.decider.decide(claim, series, samples, self.described).decision
            yield apply_controls(found, self.block_controls)


def _series_of(claim: str, samples: Sequence[ClaimSamples]) -> Iterator[tuple[ClaimSamples, ClaimSeries]]:
    """Yield the series of *claim* in each of *samples*."""
    yield from ((each, series) for each in samples for series in each.series if claim in series.claims)


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
    machines = {target.name: target.machine for target in targets}
    groups: dict[tuple[str, MachineName, tuple[Setting, ...]], list[DecidedClaim]] = {}
    for decision in decisions:
        if decision.is_decided:
            groups.setdefault((decision.claim, machines[decision.target], decision.given), []).append(decision)
    for (claim, machine, given), group in groups.items():
        holds = tuple(each.target for each in group if each.decision is Decision.HOLDS)
        fails = tuple(each.target for each in group if each.decision is Decision.FAILS)
        if holds and fails:
            yield TargetFlip(claim=claim, machine=machine, given=given, holds=holds, fails=fails)

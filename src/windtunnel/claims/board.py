"""The claim board: the decision on every claim at every target, and the decisions that flip."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from windtunnel.claims.claim import Claim
from windtunnel.claims.claim_lookup import ClaimLookup, absence_reasons
from windtunnel.claims.claims_file import ClaimsFile
from windtunnel.claims.control import ControlResults, apply_controls, control_notes, measure_controls
from windtunnel.claims.decide import CONFIDENCE, decide_claim, out_of_scope
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
from windtunnel.model.identity import CommitHash, MachineName
from windtunnel.model.run import Machine, ResultsTree
from windtunnel.model.run_format import RunRecord
from windtunnel.model.target import MeasuredTarget, newest_first, newest_targets, with_unique_names

FREE_THREADED = re.compile(r"\d[\d.]*t")
"""The versions that asv writes for builds of CPython without a global interpreter lock."""


def claim_board(
    claims: ClaimsFile, tree: ResultsTree, history: Sequence[CommitHash], records: Sequence[RunRecord] = ()
) -> ClaimBoard:
    """Return the decisions on *claims* that the results in *tree* allow.

    *history* holds the commits of the project's branches, newest first. *records* say why cases have no value.
    """
    benchmarks = {benchmark.name: benchmark for benchmark in tree.benchmarks}
    lookup = ClaimLookup(benchmarks=benchmarks, reasons=absence_reasons(records))
    targets: list[_Target] = []
    for target in _targets(tree, history):
        described = _describe(target, tree.machines)
        controls = measure_controls(claims.controls, lookup, target, described)
        targets.append(_Target(measured=target, described=described, controls=controls))
    found = [_decide(claim, target, lookup) for claim in claims.claims for target in targets]
    decisions = tuple(decision for decision, _ in found)
    listed = tuple(target.described for target in targets)
    return ClaimBoard(
        schema=SCHEMA,
        confidence=CONFIDENCE,
        sources=tuple(ClaimSource(id=key, title=title) for key, title in claims.sources.items()),
        claims=tuple(claim.statement for claim in claims.claims),
        targets=listed,
        decisions=decisions,
        commit_flips=tuple(flip for _, flips in found for flip in flips),
        target_flips=tuple(_target_flips(decisions, listed)),
        notes=tuple(control_notes(decisions, {target.described.name: target.controls for target in targets})),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """A target with its runs, as the file describes it, and with the control results of its commits."""

    measured: MeasuredTarget
    described: ClaimTarget
    controls: ControlResults


def _decide(claim: Claim, target: _Target, lookup: ClaimLookup) -> tuple[DecidedClaim, tuple[CommitFlip, ...]]:
    """Return the decision on *claim* at *target*, and its flips.

    The newest run that tried all cases decides; if there is none, the newest that tried any.
    """
    if reason := claim.scope.exclusion(target.described):
        return out_of_scope(claim, target.described, reason), ()
    evidence = lookup.find(claim, target.measured)
    decisions = [apply_controls(decide_claim(claim, target.described, each), target.controls) for each in evidence]
    chosen = next((index for index, each in enumerate(evidence) if each.is_complete), 0)
    return decisions[chosen], tuple(_commit_flips(decisions))


def _targets(tree: ResultsTree, history: Sequence[CommitHash]) -> tuple[MeasuredTarget, ...]:
    """Return the newest targets of each machine: a machine that measures rarely may decide claims too."""
    found: list[MeasuredTarget] = []
    for machine in dict.fromkeys(run.machine for run in tree.runs):
        runs = ResultsTree(runs=tuple(run for run in tree.runs if run.machine == machine))
        found += _with_older_runs(newest_targets(runs, history), runs, history)
    return with_unique_names([replace(target, name=target.python) for target in found])


def _with_older_runs(
    targets: Sequence[MeasuredTarget], tree: ResultsTree, history: Sequence[CommitHash]
) -> Iterator[MeasuredTarget]:
    """Yield the *targets* of a machine, each with the older runs of its Python in other environments.

    An environment changes when a library is added. Earlier decisions remain valid until the cases are measured again.
    If a Python has several environments now, each keeps its own runs.
    """
    counts = Counter(target.python for target in targets)
    for target in targets:
        if counts[target.python] > 1:
            yield target
            continue
        runs = newest_first((run for run in tree.runs if run.environment.python == target.python), history)
        yield replace(target, runs=tuple(runs[runs.index(target.runs[0]) :]))


def _describe(target: MeasuredTarget, machines: Sequence[Machine]) -> ClaimTarget:
    machine = next((machine for machine in machines if machine.name == target.machine), None)
    cores = (machine and machine.detail("num_cpu")) or ""
    return ClaimTarget(
        name=target.name,
        python=target.python,
        machine=target.machine,
        environment=target.environment,
        cores=int(cores) if re.fullmatch(r"[1-9][0-9]{0,5}", cores) else None,
        gil=not FREE_THREADED.fullmatch(target.python),
    )


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

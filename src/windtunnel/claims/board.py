"""Claims that hold here and fail there: from one commit to the next, from one Python to another."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from windtunnel.claims.claim import Claim, ClaimBook
from windtunnel.claims.claim_lookup import Attempt, Reasons, Trying
from windtunnel.claims.control import Canary, Sung, believed, notes
from windtunnel.claims.decide import CONFIDENCE, decided, out_of_scope, outside
from windtunnel.claims.format import (
    SCHEMA,
    ClaimBoard,
    ClaimPlace,
    CommitFlip,
    DecidedClaim,
    Decision,
    PlaceFlip,
    Setting,
    StatedClaim,
)
from windtunnel.model.identity import CommitHash, MachineName
from windtunnel.model.run import Machine, ResultsTree
from windtunnel.model.run_format import RunRecord
from windtunnel.model.target import MeasuredTarget, newest_first, newest_targets, with_unique_names

SETTLED = (Decision.HOLDS, Decision.FAILS)


def commit_flips(decisions: Sequence[DecidedClaim]) -> Iterator[CommitFlip]:
    """Yield the flips among *decisions* on one claim at one place, which are newest first."""
    settled = [one for one in decisions if one.decision in SETTLED]
    for after, before in pairwise(settled):
        if after.decision is not before.decision and after.commit and before.commit:
            yield CommitFlip(
                claim=after.claim,
                place=after.place,
                given=after.given,
                before=before.decision,
                before_commit=before.commit,
                after=after.decision,
                after_commit=after.commit,
            )


def place_flips(decisions: Sequence[DecidedClaim], places: Sequence[ClaimPlace]) -> Iterator[PlaceFlip]:
    """Yield the claims that hold at one place of a machine and fail at another, given the same."""
    machines = {place.name: place.machine for place in places}
    groups: dict[tuple[str, MachineName, tuple[Setting, ...]], list[DecidedClaim]] = {}
    for one in decisions:
        if one.decision in SETTLED:
            groups.setdefault((one.claim, machines[one.place], one.given), []).append(one)
    for (claim, machine, given), same in groups.items():
        holds, fails = (tuple(one.place for one in same if one.decision is each) for each in SETTLED)
        if holds and fails:
            yield PlaceFlip(claim=claim, machine=machine, given=given, holds=holds, fails=fails)


FREE_THREADED = re.compile(r"\d[\d.]*t")
"""What asv calls a CPython that is built without the global interpreter lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One claim at one place: the decision, and how often it flipped on the way."""

    decision: DecidedClaim
    flips: tuple[CommitFlip, ...] = ()


def claim_board(
    book: ClaimBook, tree: ResultsTree, history: Sequence[CommitHash], records: Sequence[RunRecord] = ()
) -> ClaimBoard:
    """Return the decisions on the claims in *book* that the results in *tree* allow.

    *history* holds the commits of the project's branches, newest first; *records* tell why cases have no value.
    """
    trying = Trying(benchmarks={each.name: each for each in tree.benchmarks}, reasons=Reasons.of(records))
    canary = Canary(claim=book.canary, trying=trying)
    here = _places(tree, history)
    listed = tuple(_claim_place(place, tree.machines) for place in here)
    sung = {told.name: canary.hear(place, told) for place, told in zip(here, listed, strict=True)}
    heard = [
        _hear(claim, (place, told), trying, sung[told.name])
        for claim in book.claims
        for place, told in zip(here, listed, strict=True)
    ]
    decisions = tuple(each.decision for each in heard)
    return ClaimBoard(
        schema=SCHEMA,
        confidence=CONFIDENCE,
        sources=book.sources,
        claims=tuple(_stated(claim) for claim in book.claims),
        places=listed,
        decisions=decisions,
        commit_flips=tuple(flip for each in heard for flip in each.flips),
        place_flips=tuple(place_flips(decisions, listed)),
        notes=tuple(notes(decisions, sung)),
    )


def is_judged(board: ClaimBoard) -> bool:
    """Tell whether any claim of *board* has been decided."""
    return any(one.decision in (Decision.HOLDS, Decision.FAILS) for one in board.decisions)


def _places(tree: ResultsTree, history: Sequence[CommitHash]) -> tuple[MeasuredTarget, ...]:
    """Return the places of each machine by themselves: claims are often decided by a machine that measures rarely."""
    machines: dict[MachineName, ResultsTree] = {}
    for machine in dict.fromkeys(run.machine for run in tree.runs):
        machines[machine] = ResultsTree(runs=tuple(run for run in tree.runs if run.machine == machine))
    found = [place for one in machines.values() for place in _whole(newest_targets(one, history), one, history)]
    return with_unique_names([replace(place, name=place.python) for place in found])


def _whole(
    found: Sequence[MeasuredTarget], tree: ResultsTree, history: Sequence[CommitHash]
) -> Iterator[MeasuredTarget]:
    """Yield the places of a machine with the runs that their Python made with other libraries before.

    Libraries come and go, and what was decided with those of last week stands until it is measured again. A Python that
    has several environments now keeps each to itself.
    """
    counts = Counter(place.python for place in found)
    for place in found:
        if counts[place.python] > 1:
            yield place
            continue
        runs = newest_first((run for run in tree.runs if run.environment.python == place.python), history)
        yield replace(place, runs=tuple(runs[runs.index(place.runs[0]) :]))


def _claim_place(place: MeasuredTarget, machines: Sequence[Machine]) -> ClaimPlace:
    described = next((machine for machine in machines if machine.name == place.machine), None)
    return ClaimPlace(
        name=place.name,
        python=place.python,
        machine=place.machine,
        environment=place.environment,
        cores=_cores(described),
        gil=not FREE_THREADED.fullmatch(place.python),
    )


def _cores(machine: Machine | None) -> int | None:
    told = (machine and machine.detail("num_cpu")) or ""
    return int(told) if re.fullmatch(r"[1-9][0-9]{0,5}", told) else None


def _hear(claim: Claim, where: tuple[MeasuredTarget, ClaimPlace], trying: Trying, sung: Sung) -> Heard:
    place, listed = where
    if reason := out_of_scope(claim.scope, listed):
        return Heard(decision=outside(claim, listed, reason))
    attempts = trying.attempts(claim, place)
    decisions = [believed(decided(claim, listed, attempt), sung) for attempt in attempts]
    return Heard(decision=decisions[_chosen(attempts)], flips=tuple(commit_flips(decisions)))


def _chosen(attempts: Sequence[Attempt]) -> int:
    """Return which of *attempts*, newest first, speaks for the claim: the newest that tried all of its cases."""
    return next((index for index, attempt in enumerate(attempts) if attempt.whole), 0)


def _stated(claim: Claim) -> StatedClaim:
    return StatedClaim(
        id=claim.id,
        source=claim.source,
        sentence=claim.sentence,
        storage=claim.storage,
        article_says=claim.article_says,
    )

"""Claims that hold here and fail there: from one commit to the next, from one Python to another."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from windtunnel.claims.format import ClaimPlace, CommitFlip, DecidedClaim, Decision, PlaceFlip, Setting
from windtunnel.model.identity import MachineName

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

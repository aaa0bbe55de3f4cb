"""Decides claims from the blocks of a series; windtunnel_claims.replay has the rule for a test.

A target has many claims, so the share of wrong decisions among them is controlled as well. Each claim has two
hypotheses, that its ratio lies within the band and that it does not, and at most one is true. Benjamini and Hochberg's
procedure over both hypotheses of all claims at the rate 2 q keeps the false discovery rate at 2 q times the share of
true hypotheses, which is at most one half: at q. The larger p-value of a claim never passes, so this is the procedure
over the smaller ones at q.

Days are the unit where a ratio is near a limit: sessions differ by as much as blocks do, so the interval of such a test
goes over the means of days or boots. A series has a test for each value of its parameter. Which way takes less is
tested from both ends of the series inwards, until a value is undecided. Such fixed sequences keep the error of a test
(Maurer, W., Hothorn, L. A. and Lehmacher, W. (1995), Multiple comparisons in drug clinical trials and preclinical
assays), if the direction changes once.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace

from windtunnel.model.run import DatedCommit
from windtunnel.stats.paired_differences import benjamini_hochberg
from windtunnel.stats.two_levels import split_levels
from windtunnel.text import numbers
from windtunnel_claims.accompanying import compute_figure
from windtunnel_claims.block_values import Benchmarks, BlockValues, NoValues, block_values
from windtunnel_claims.claim import SIZE, Band, Claim, ClaimedCase, ClaimTest, Statistic
from windtunnel_claims.claims_file import Measuring
from windtunnel_claims.format import (
    CONDITIONS_DIFFER,
    ClaimTarget,
    Condition,
    Crossing,
    DecidedClaim,
    DecidedTest,
    Decision,
    Measurement,
)
from windtunnel_claims.replay import Replay, ReplayRule, analyse_all, limited_exp, replay
from windtunnel_claims.samples_format import ClaimSamples, ClaimSeries

FALSE_DISCOVERY_RATE = 0.05
"""The expected share of wrong decisions among those that blocks decide at a target."""


MIN_DAYS = 3
"""The days or boots over which the interval of a ratio near a limit goes."""

ORDER = (Decision.FAILS, Decision.UNDECIDED, Decision.ABOUT, Decision.DIRECTION, Decision.HOLDS)
"""The decision on a claim is the first of these that one of its tests has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDecision:
    """What the blocks of a series decide about a claim, and what is still to measure."""

    decision: DecidedClaim
    """The decision so far."""
    is_final: bool
    """Whether more blocks change nothing."""
    cases: frozenset[int]
    """The indices of the cases that undecided tests and the figures need; empty if final."""
    blocks_to_next: int
    """How many blocks the next analysis still needs; 0 if final."""


_Test: TypeAlias = tuple[DecidedTest, Replay, BlockValues | NoValues]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDecider:
    """Decides claims from blocks."""

    benchmarks: Benchmarks
    """The benchmarks of the suite."""
    measuring: Measuring
    """The analyses, their error, and which blocks count."""
    today: tuple[str, str] | None = None
    """The day and the boot of which blocks may be added; None if none will be."""

    def values(self, series: ClaimSeries, cases: Sequence[ClaimedCase], statistic: Statistic) -> BlockValues | NoValues:
        """Return the values of *cases* in the blocks of *series* that count, or why there are none."""
        return block_values(series, cases, self.benchmarks, statistic, self.measuring.background_load)

    def decide(self, claim: Claim, series: ClaimSeries, samples: ClaimSamples, target: ClaimTarget) -> BlockDecision:
        """Return what *series* decides about *claim* at *target*; *samples* name the commit and the day.

        A control is decided by ``windtunnel_claims.board``: measure it in every round.
        """
        parts = [[self._test(claim, test, series, each) for test in claim.tests] for each in claim.conditions]
        combined = [_combined(claim, part) for part in parts]
        decision, reason, decisive = _over_conditions(combined, len(claim.tests))
        if claim.disputed:
            decision, reason = Decision.UNDECIDED, claim.disputed
        is_decided = decision not in (Decision.UNDECIDED, Decision.ABOUT)
        figures = [self.values(series, each.cases, claim.statistic) for each in claim.figures]
        decided = DecidedClaim(
            claim=claim.id,
            target=target.name,
            decision=decision,
            reason=reason,
            given=series.given,
            commit=samples.commit,
            date=DatedCommit(hash=samples.commit, date=samples.date / 1000).day,
            decisive=decisive,
            tests=tuple(test for part in parts for test, _, _ in part),
            figures=tuple(
                compute_figure(figure, found, series) for figure, found in zip(claim.figures, figures, strict=True)
            ),
            measured=datetime.fromtimestamp(samples.ended, UTC).strftime("%Y-%m-%d"),
            p_value=max((each.p_value or 0 for each in combined), default=None) if is_decided else None,
            crossing=_crossing(claim, combined) if claim.series else None,
        )
        waiting = [
            [(found, values) for _, found, values in part if not found.is_final]
            for part, each in zip(parts, combined, strict=True)
            if not each.is_final
        ]
        if not any(waiting):
            return BlockDecision(decision=decided, is_final=True, cases=frozenset(), blocks_to_next=0)
        needed = [values for part in waiting for _, values in part]
        to_next = (
            min((found.next_analysis or 0) - values.blocks for found, values in part) for part in waiting if part
        )
        return BlockDecision(
            decision=decided,
            is_final=False,
            cases=frozenset(case for each in (*needed, *figures) for case in each.cases),
            blocks_to_next=sum(max(0, each) for each in to_next),
        )

    def _test(self, claim: Claim, test: ClaimTest, series: ClaimSeries, condition: Condition) -> _Test:
        """Return *test* as the blocks of *series* decide it, their replay, and the values of its cases."""
        if condition:
            wanted = tuple(block for block in series.blocks if bool(block.awake) is (condition == "awake"))
            series = replace(series, blocks=wanted)
        values = self.values(series, test.cases, claim.statistic)
        rule = ReplayRule(
            analyses=self.measuring.analyses[-1 if claim.statistic.is_tail else 0 :],
            error=self.measuring.error,
            band=test.band,
            zone=test.zone,
            tests=1 if claim.series else len(claim.tests),
        )
        days, reason = 0, ""
        levels: tuple[float, ...] = ()
        if isinstance(values, NoValues):
            found = Replay(next_analysis=None if values.is_final else rule.analyses[0])
            reason = values.reason
        else:
            rule = dataclasses.replace(rule, floor=values.floor)
            found, days = self.over_days(replay(values.differences.tolist(), rule), rule, values)
            levels = _levels(values)
            if levels and levels[0] < 1 < levels[1] and found.decision is not Decision.UNDECIDED:
                found = dataclasses.replace(found, decision=Decision.UNDECIDED, p_value=None)
                reason = f"blocks jump between {levels[0]:.3g} and {levels[1]:.3g}, so no direction is stated"
            reason = reason or _reason(found, rule.band, values, days)
        sides = _measurements(test, claim.statistic, series, values, found.blocks or values.blocks)
        size = None
        if test.published and found.interval:
            size = Band(low=test.published / SIZE, high=test.published * SIZE).decide(found.interval)
        decided = DecidedTest(
            contender=sides[0],
            baseline=sides[1],
            low=test.band.low,
            high=test.band.high,
            published=test.published,
            decision=found.decision,
            reason=reason,
            ratio=found.ratio,
            interval=found.interval,
            blocks=found.blocks,
            block_ratios=() if isinstance(values, NoValues) else values.ratios[: found.blocks],
            zone=test.zone,
            days=days,
            size=size,
            levels=levels,
            condition=condition,
            at=str(test.at),
        )
        return decided, found, values

    def over_days(self, found: Replay, rule: ReplayRule, values: BlockValues) -> tuple[Replay, int]:
        """Return *found*, but over days where its ratio is near a limit, and over how many days; 0 for blocks."""
        if found.decision is Decision.UNDECIDED or not found.ratio or not rule.band.is_near(found.ratio):
            return found, 0
        rows, first = values.by_day(rule.analyses[0]), rule.analyses[0]
        about = dataclasses.replace(found, decision=Decision.ABOUT, p_value=None)
        if len(rows) < MIN_DAYS:
            missing = first - values.days.count(self.today) if self.today else 0
            if missing > 0:
                about = dataclasses.replace(about, next_analysis=values.blocks + missing)
            return about, len(rows)
        over = analyse_all(rows, dataclasses.replace(rule, error=rule.error * len(rule.analyses)))
        decision = Decision.ABOUT if over.decision is Decision.UNDECIDED else over.decision
        return dataclasses.replace(over, decision=decision, blocks=found.blocks), len(rows)


class _Combined(NamedTuple):
    """What the tests of a claim say together, in one condition."""

    decision: Decision
    reason: str
    decisive: int  # the index of the test that decides
    p_value: float | None
    is_final: bool
    places: tuple[int, int]  # of a series: the last value at which the contender takes more, the first at which less


def _combined(claim: Claim, part: Sequence[_Test]) -> _Combined:
    tests, replays, _ = zip(*part, strict=True)
    decisions = [test.decision for test in tests]
    places = (-1, len(tests))
    if claim.series:
        decision, decisive, places = across(claim, decisions)
        low, high = claim.claimed_places
        shown = replays[: high + 1] if places[0] >= high else replays[low:] if places[1] <= low else ()
        p_values = [each.p_value or 0 for each in shown or (*replays[: low + 1], *replays[high:])]
        p_value = max(p_values, default=None)
    else:
        decision = next(each for each in ORDER if each in decisions)
        decisive = decisions.index(decision)
        known = [p for each in replays if (p := each.p_value) is not None and each.decision is decision]
        p_value = (min if decision is Decision.FAILS else max)(known, default=None)  # the clearest failure
        if decision is Decision.HOLDS and any(test.size is Decision.FAILS for test in tests):
            decision = Decision.DIRECTION
    is_final = decision is Decision.FAILS or all(each.is_final for each in replays)
    is_final = is_final or (bool(claim.series) and decision is Decision.HOLDS)
    reason = "" if decision is Decision.HOLDS else tests[decisive].reason
    return _Combined(decision, reason, decisive, p_value, is_final, places)


def across(claim: Claim, decisions: Sequence[Decision]) -> tuple[Decision, int, tuple[int, int]]:
    """Return whether the crossing of a series is as claimed, the test to show, and the places of the crossing."""
    count = len(decisions)
    below = next((at for at, each in enumerate(decisions) if each is not Decision.FAILS), count) - 1
    above = count - next((at for at, each in enumerate(reversed(decisions)) if each is not Decision.HOLDS), count)
    low, high = claim.claimed_places
    if low <= below and above <= high:
        return Decision.HOLDS, min(above, count - 1), (below, above)
    if below >= high or above <= low:
        return Decision.FAILS, min(max(low, 0), count - 1), (below, above)
    open_tests = [at for at, each in enumerate(decisions) if each in (Decision.UNDECIDED, Decision.ABOUT)]
    at = open_tests[0] if open_tests else min(below + 1, count - 1)
    return decisions[at] if open_tests else Decision.UNDECIDED, at, (below, above)


def _over_conditions(combined: Sequence[_Combined], tests: int) -> tuple[Decision, str, int]:
    """Return the decision, its reason and the decisive test; conditions that disagree decide nothing."""
    found = [each.decision for each in combined]
    if Decision.FAILS in found and {*found} & {Decision.HOLDS, Decision.DIRECTION}:
        words = ", ".join(f"{name} it {each}" for name, each in zip(("idle", "awake"), found, strict=False))
        return Decision.UNDECIDED, CONDITIONS_DIFFER + words.replace("_", " "), combined[0].decisive
    order = (Decision.UNDECIDED, *ORDER)
    at = min(range(len(found)), key=lambda each: order.index(found[each]))
    return found[at], combined[at].reason, at * tests + combined[at].decisive


def _crossing(claim: Claim, combined: Sequence[_Combined]) -> Crossing:
    """Return the crossing of a series, over all conditions."""
    low, high = min(each.places[0] for each in combined), max(each.places[1] for each in combined)
    points = [str(point) for point in claim.points]
    first, last = claim.crossing or ("", "")
    return Crossing(
        parameter=next(iter(claim.series)),
        low=points[low] if low >= 0 else "",
        high=points[high] if high < len(points) else "",
        claimed=(str(first), str(last)),
    )


def _levels(values: BlockValues) -> tuple[float, ...]:
    """Return the two ratios between which the blocks jump; empty if they do not."""
    split = split_levels(values.differences[None, :], values.floor)
    if not split.found[0]:
        return ()
    upper = split.is_upper[0]
    ends = (values.differences[~upper], values.differences[upper])
    return tuple(limited_exp(float(np.mean(each))) for each in ends)


def _measurements(
    test: ClaimTest, statistic: Statistic, series: ClaimSeries, values: BlockValues | NoValues, blocks: int
) -> tuple[Measurement, ...]:
    """Return the cases of *test* over the first *blocks*; a case that the series lacks is only named."""
    if len(values.cases) < len(test.cases):
        return tuple(Measurement(benchmark=each.benchmark, params=()) for each in test.cases)
    means = [None] * len(test.cases) if isinstance(values, NoValues) else values.logs[:, :blocks].mean(axis=1).tolist()
    return tuple(
        Measurement(
            benchmark=case.benchmark,
            params=case.params,
            value=None if mean is None else limited_exp(mean),
            unit=statistic.unit(case.unit),
        )
        for case, mean in zip((series.cases[at] for at in values.cases), means, strict=True)
    )


def _reason(found: Replay, band: Band, values: BlockValues, days: int) -> str:
    """Return why a test with *values* is undecided, or about at the limit; empty if it is decided."""
    if found.decision in (Decision.HOLDS, Decision.FAILS):
        return ""
    if found.decision is Decision.ABOUT and found.ratio:
        where = f"the ratio is about at the limit {band.nearest_end(found.ratio):.3g}"
        more = f"; {MIN_DAYS} days or boots decide" if days < MIN_DAYS else ""
        return f"{where}, over {numbers.count(days, 'day')}{more}" if days else where
    if not found.blocks:
        return f"{numbers.count(values.blocks, 'block')} measured; the first analysis is after {found.next_analysis}"
    if found.next_analysis is not None:
        return f"undecided after {found.blocks} blocks; the next analysis is after {found.next_analysis}"
    end = f"{band.nearest_end(found.ratio):.3g}" if found.ratio else ""
    return f"the interval reaches the end {end} of the band: undecided after {found.blocks} blocks"


def apply_false_discovery_rate(decisions: Sequence[DecidedClaim]) -> tuple[DecidedClaim, ...]:
    """Return *decisions* of a target; those that do not survive are undecided with that reason.

    The family is all claims with an analysis.
    """
    family = [decision for decision in decisions if any(test.blocks for test in decision.tests)]
    p_values = np.array([1.0 if each.p_value is None else each.p_value for each in family])
    kept = benjamini_hochberg(p_values, FALSE_DISCOVERY_RATE).tolist()
    lost = {each.claim for each, survives in zip(family, kept, strict=True) if each.is_decided and not survives}
    reason = "it {} by itself (p = {:.3f}), but among {} claims that is not enough for a false discovery rate of {:.0%}"
    return tuple(
        replace(
            each,
            decision=Decision.UNDECIDED,
            reason=reason.format(each.decision, each.p_value, len(family), FALSE_DISCOVERY_RATE),
            p_value=None,
        )
        if each.claim in lost
        else each
        for each in decisions
    )

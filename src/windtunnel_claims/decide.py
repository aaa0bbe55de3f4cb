"""Decides claims from the blocks of a series; windtunnel_claims.replay has the rule for a test.

A target has many claims, so the share of wrong decisions among them is controlled as well. Each claim has two
hypotheses, that its ratio lies within the band and that it does not, and at most one is true. Benjamini and Hochberg's
procedure over both hypotheses of all claims at the rate 2 q keeps the false discovery rate at 2 q times the share of
true hypotheses, which is at most one half: at q. The larger p-value of a claim never passes, so this is the procedure
over the smaller ones at q.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from msgspec.structs import replace

from windtunnel.model.run import DatedCommit
from windtunnel.stats.paired_differences import benjamini_hochberg
from windtunnel.text import numbers
from windtunnel_claims.accompanying import compute_figure, instruction_ratio
from windtunnel_claims.block_values import Benchmarks, BlockValues, NoValues, block_values
from windtunnel_claims.claim import Band, Claim, ClaimedCase, ClaimTest, Statistic, claimed_band
from windtunnel_claims.claims_file import Measuring
from windtunnel_claims.format import (
    ClaimTarget,
    DecidedClaim,
    DecidedTest,
    Decision,
    InstructionRatio,
    Measurement,
)
from windtunnel_claims.replay import MAX_LOG, Replay, ReplayRule, limited_exp, replay
from windtunnel_claims.samples_format import ClaimSamples, ClaimSeries

FALSE_DISCOVERY_RATE = 0.05
"""The expected share of wrong decisions among those that blocks decide at a target."""


UNKNOWN_CORES = "the machine does not record how many cores it has"
"""Why a test whose band depends on the number of cores is undecided."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDecider:
    """Decides claims from blocks."""

    benchmarks: Benchmarks
    """The benchmarks of the suite."""
    measuring: Measuring
    """The analyses, their error, and which blocks count."""

    def values(self, series: ClaimSeries, cases: Sequence[ClaimedCase], statistic: Statistic) -> BlockValues | NoValues:
        """Return the values of *cases* in the blocks of *series* that count, or why there are none."""
        return block_values(series, cases, self.benchmarks, statistic, self.measuring.background_load)

    def decide(self, claim: Claim, series: ClaimSeries, samples: ClaimSamples, target: ClaimTarget) -> BlockDecision:
        """Return what *series* decides about *claim* at *target*; *samples* name the commit and the day.

        A control is decided by ``windtunnel_claims.board``: measure it in every round.
        """
        states = [self._test(claim, test, series, target.cores) for test in claim.tests]
        figures = [self.values(series, each.cases, claim.statistic) for each in claim.figures]
        tests = tuple(state.decided for state in states)
        decision, decisive = overall_decision(tests)
        is_final = decision is Decision.FAILS or all(state.is_final for state in states)
        decided = DecidedClaim(
            claim=claim.id,
            target=target.name,
            decision=decision,
            reason=tests[decisive].reason,
            given=series.given,
            commit=samples.commit,
            date=DatedCommit(hash=samples.commit, date=samples.date / 1000).day,
            decisive=decisive,
            tests=tests,
            figures=tuple(
                compute_figure(figure, values, series) for figure, values in zip(claim.figures, figures, strict=True)
            ),
            measured=datetime.fromtimestamp(samples.ended, UTC).strftime("%Y-%m-%d"),
            p_value=_p_value(decision, states),
        )
        if is_final:
            return BlockDecision(decision=decided, is_final=True, cases=frozenset(), blocks_to_next=0)
        waiting = [state for state in states if not state.is_final]
        needed = (case for cases in (*waiting, *figures) for case in cases.cases)
        to_next = min(state.blocks_to_next for state in waiting)
        return BlockDecision(decision=decided, is_final=False, cases=frozenset(needed), blocks_to_next=to_next)

    def _test(self, claim: Claim, test: ClaimTest, series: ClaimSeries, cores: int | None) -> "_TestState":
        band = claimed_band(test, cores)
        values = self.values(series, test.cases, claim.statistic)
        rule = ReplayRule(
            analyses=self.measuring.analyses,
            error=self.measuring.error,
            band=band or Band(),
            indifference=test.indifference,
            tests=len(claim.tests),
        )
        if band is None:
            values = NoValues(reason=UNKNOWN_CORES, cases=values.cases)
            found = Replay(is_final=True, next_analysis=None)
        elif isinstance(values, NoValues):
            found = Replay(is_final=values.is_final, next_analysis=self.measuring.analyses[0])
        else:
            found = replay(values.differences.tolist(), dataclasses.replace(rule, floor=values.floor))
        counts = None
        if claim.instructions and band and len(values.cases) == len(test.cases):
            counts = instruction_ratio([series.cases[at] for at in values.cases], rule)
        return _TestState(
            test=test,
            statistic=claim.statistic,
            band=band,
            series=series,
            values=values,
            replay=found,
            instructions=counts,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _TestState:
    """What the blocks of a series show about a test."""

    test: ClaimTest
    statistic: Statistic
    band: Band | None
    series: ClaimSeries
    values: BlockValues | NoValues
    replay: Replay
    instructions: InstructionRatio | None

    @property
    def cases(self) -> tuple[int, ...]:
        """The indices of its cases in the series."""
        return self.values.cases

    @property
    def is_final(self) -> bool:
        """Whether more blocks change nothing."""
        return self.replay.is_final

    @property
    def available(self) -> int:
        """How many blocks have all its cases."""
        return self.values.blocks if isinstance(self.values, BlockValues) else 0

    @property
    def blocks_to_next(self) -> int:
        """How many blocks the next analysis still needs; 0 if final."""
        return max(0, (self.replay.next_analysis or 0) - self.available)

    @property
    def decided(self) -> DecidedTest:
        """The test as claims.json states it."""
        found, band = self.replay, self.band or Band()
        sides = tuple(self._measurement(at) for at in range(len(self.test.cases)))
        return DecidedTest(
            contender=sides[0],
            baseline=sides[1],
            low=band.low,
            high=band.high,
            published=self.test.published,
            decision=found.decision,
            reason=self._reason(),
            ratio=found.ratio,
            interval=found.interval,
            confidence=found.confidence,
            divided_by=sides[2:],
            blocks=found.blocks,
            block_ratios=self._block_ratios(),
            indifference=self.test.indifference,
            instructions=self.instructions,
        )

    def _block_ratios(self) -> tuple[float, ...]:
        """Return the ratio of each block of the interval."""
        if not isinstance(self.values, BlockValues):
            return ()
        ratios = np.exp(np.clip(self.values.differences[: self.replay.blocks], -MAX_LOG, MAX_LOG))
        return tuple(float(f"{ratio:.5g}") for ratio in ratios)

    def _measurement(self, at: int) -> Measurement:
        """Return the case at *at* over the blocks of the interval, or over all if there is none yet."""
        if at >= len(self.cases):
            claimed = self.test.cases[at]
            return Measurement(benchmark=claimed.benchmark, params=(), value=None, unit=None)
        case = self.series.cases[self.cases[at]]
        blocks = self.replay.blocks or self.available
        values = self.values if isinstance(self.values, BlockValues) else None
        return Measurement(
            benchmark=case.benchmark,
            params=case.params,
            value=limited_exp(float(values.logs[at, :blocks].mean())) if values else None,
            unit=self.statistic.unit(case.unit),
        )

    def _reason(self) -> str:
        """Return why the test is undecided; empty if it is decided."""
        found = self.replay
        if isinstance(self.values, NoValues):
            return self.values.reason
        if found.decision is not Decision.UNDECIDED:
            return ""
        if not found.blocks:
            blocks = numbers.count(self.available, "block")
            return f"{blocks} measured; the first analysis is after {found.next_analysis}"
        if found.next_analysis is not None:
            return f"undecided after {found.blocks} blocks; the next analysis is after {found.next_analysis}"
        end = f"{self.band.nearest_end(found.ratio):.3g}" if self.band and found.ratio else ""
        if found.blocks_needed is not None:
            needed = f"a decision would need about {found.blocks_needed}"
            return f"the ratio is near the end {end} of the band: given up after {found.blocks} blocks, {needed}"
        return f"the interval reaches the end {end} of the band: undecided after {found.blocks} blocks"


def _p_value(decision: Decision, states: Sequence[_TestState]) -> float | None:
    """Return the p-value of *decision*: of the weakest test if the claim holds, of the clearest failure if it fails."""
    p_values = [
        state.replay.p_value
        for state in states
        if state.replay.decision is decision and state.replay.p_value is not None
    ]
    if not p_values:
        return None
    return max(p_values) if decision is Decision.HOLDS else min(p_values)


def apply_false_discovery_rate(decisions: Sequence[DecidedClaim]) -> tuple[DecidedClaim, ...]:
    """Return *decisions* of a target; those that do not survive are undecided with that reason.

    The family is all claims with an analysis.
    """
    family = [decision for decision in decisions if any(test.blocks for test in decision.tests)]
    p_values = np.array([1.0 if each.p_value is None else each.p_value for each in family])
    kept = benjamini_hochberg(p_values, FALSE_DISCOVERY_RATE).tolist()
    lost = {each.claim for each, survives in zip(family, kept, strict=True) if each.is_decided and not survives}
    return tuple(_undecided(each, len(family)) if each.claim in lost else each for each in decisions)


def _undecided(decision: DecidedClaim, family: int) -> DecidedClaim:
    reason = (
        f"it {decision.decision.value} by itself (p = {decision.p_value:.3f}), but among {family} claims that is not "
        f"enough for a false discovery rate of {FALSE_DISCOVERY_RATE:.0%}"
    )
    return replace(decision, decision=Decision.UNDECIDED, reason=reason, p_value=None)


def overall_decision(tests: Sequence[DecidedTest]) -> tuple[Decision, int]:
    """Return the decision on a claim with *tests*, and the index of the test that decides."""
    decisions = [test.decision for test in tests]
    decision = next((each for each in (Decision.FAILS, Decision.UNDECIDED) if each in decisions), Decision.HOLDS)
    return decision, decisions.index(decision)


def not_measured(claim: Claim, target: ClaimTarget, decision: Decision, reason: str) -> DecidedClaim:
    """Return *decision* on *claim* at *target*, where nothing was measured, with the *reason*."""
    return DecidedClaim(
        claim=claim.id,
        target=target.name,
        decision=decision,
        reason=reason,
        given=(),
        commit=None,
        date="",
        decisive=0,
        tests=(),
    )

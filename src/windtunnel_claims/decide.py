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
from windtunnel_claims.format import ClaimTarget, DecidedClaim, DecidedTest, Decision, Measurement
from windtunnel_claims.replay import Replay, ReplayRule, limited_exp, replay
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
        tests, replays, values = zip(
            *(self._test(claim, test, series, target.cores) for test in claim.tests), strict=True
        )
        figures = [self.values(series, each.cases, claim.statistic) for each in claim.figures]
        decisions = [test.decision for test in tests]
        decision = next((each for each in (Decision.FAILS, Decision.UNDECIDED) if each in decisions), Decision.HOLDS)
        decisive = decisions.index(decision)
        p_values = [p for each in replays if (p := each.p_value) is not None and each.decision is decision]
        strongest = max if decision is Decision.HOLDS else min  # the weakest test if it holds, the clearest failure
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
                compute_figure(figure, found, series) for figure, found in zip(claim.figures, figures, strict=True)
            ),
            measured=datetime.fromtimestamp(samples.ended, UTC).strftime("%Y-%m-%d"),
            p_value=strongest(p_values, default=None),
        )
        waiting = [(each, found) for each, found in zip(replays, values, strict=True) if not each.is_final]
        if decision is Decision.FAILS or not waiting:
            return BlockDecision(decision=decided, is_final=True, cases=frozenset(), blocks_to_next=0)
        needed = (case for found in (*(found for _, found in waiting), *figures) for case in found.cases)
        to_next = min((each.next_analysis or 0) - found.blocks for each, found in waiting)
        return BlockDecision(decision=decided, is_final=False, cases=frozenset(needed), blocks_to_next=max(0, to_next))

    def _test(
        self, claim: Claim, test: ClaimTest, series: ClaimSeries, cores: int | None
    ) -> tuple[DecidedTest, Replay, BlockValues | NoValues]:
        """Return *test* as the blocks of *series* decide it, their replay, and the values of its cases."""
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
        sides = _measurements(test, claim.statistic, series, values, found.blocks or values.blocks)
        decided = DecidedTest(
            contender=sides[0],
            baseline=sides[1],
            low=rule.band.low,
            high=rule.band.high,
            published=test.published,
            decision=found.decision,
            reason=values.reason if isinstance(values, NoValues) else _reason(found, rule.band, values.blocks),
            ratio=found.ratio,
            interval=found.interval,
            confidence=found.confidence,
            divided_by=sides[2:],
            blocks=found.blocks,
            block_ratios=() if isinstance(values, NoValues) else values.ratios[: found.blocks],
            indifference=test.indifference,
            instructions=counts,
        )
        return decided, found, values


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


def _reason(found: Replay, band: Band, available: int) -> str:
    """Return why a test with values in *available* blocks is undecided; empty if it is decided."""
    if found.decision is not Decision.UNDECIDED:
        return ""
    if not found.blocks:
        return f"{numbers.count(available, 'block')} measured; the first analysis is after {found.next_analysis}"
    if found.next_analysis is not None:
        return f"undecided after {found.blocks} blocks; the next analysis is after {found.next_analysis}"
    end = f"{band.nearest_end(found.ratio):.3g}" if found.ratio else ""
    if found.blocks_needed is not None:
        needed = f"a decision would need about {found.blocks_needed}"
        return f"the ratio is near the end {end} of the band: given up after {found.blocks} blocks, {needed}"
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

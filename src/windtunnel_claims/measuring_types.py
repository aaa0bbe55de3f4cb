"""What measuring claims reports while it runs, and what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.asv.protocol import Event
from windtunnel_claims.block_values import Benchmarks
from windtunnel_claims.decide import BlockDecision
from windtunnel_claims.format import ClaimTarget
from windtunnel_claims.samples_format import ClaimSamples


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """A round begins."""

    number: int
    """From 1."""
    series: int
    """How many series it measures."""
    undecided: int
    """How many claims are undecided."""
    least_seconds: float
    """How long measuring still takes if each claim is decided at its next analysis."""
    most_seconds: float
    """How long it takes if each is decided at its last analysis."""
    is_estimated: bool
    """Whether any block is measured, from which the seconds are estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockStarted:
    """A block begins."""

    claims: tuple[str, ...]
    """The undecided claims of the series."""
    cases: int
    """How many cases it runs."""
    number: int
    """Which block of the series it is, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsStarted:
    """The counting of instructions begins."""

    cases: int
    """How many cases it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseGivenUp:
    """A case is not measured any more."""

    case: str
    reason: str


MeasuringEvent = RoundStarted | BlockStarted | CaseGivenUp | CountsStarted | Event


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredClaims:
    """What a call has measured."""

    samples: ClaimSamples
    benchmarks: Benchmarks
    """The benchmarks of the suite in the environment."""
    target: ClaimTarget
    states: Mapping[str, BlockDecision]
    """What is decided, by the id of each claim that is in scope."""
    out_of_time: bool
    """Whether the budget ended it."""
    interrupted: bool
    """Whether Ctrl-C ended it."""
    broken: str = ""
    """Why the engine ended it; empty if it did not."""

"""What the owner of a suite says of its cases: how large a change matters, and which way is better."""

from dataclasses import dataclass

from windtunnel.model.measure import Better

THRESHOLD = 0.05
"""Relative change that matters unless the owner says otherwise: asv's own default for regressions in a history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What holds of every case that the regular expression *match* is found in; None says nothing."""

    match: str
    threshold: float | None = None
    better: Better | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What holds of one case."""

    threshold: float = THRESHOLD
    better: Better = Better.LOWER

"""What a case measures: its identity, the kind of its value, and which direction is better."""

import re
from enum import StrEnum

from msgspec import Struct

from windtunnel.model.benchmark import Benchmark, BenchmarkKind


class Better(StrEnum):
    """Which direction is an improvement; asv itself only knows ``lower``."""

    LOWER = "lower"
    HIGHER = "higher"


class MeasureKind(StrEnum):
    """What a value is, as far as decisions depend on it."""

    TIME = "time"
    """A duration: never exact."""
    OTHER = "other"
    """Anything else: exact if every process of an arm returns the same value."""


class CaseIdentity(Struct, frozen=True, kw_only=True):
    """A benchmark with one combination of parameter values in one environment."""

    benchmark: str
    """asv's name of the benchmark."""
    params: tuple[str, ...] = ()
    """One value for each parameter, as asv writes it."""
    environment: str = ""
    """asv's name of the environment."""

    @property
    def identity(self) -> tuple[str, tuple[str, ...], str]:
        """The key that is unique within one comparison."""
        return self.benchmark, self.params, self.environment


RATE = re.compile(
    r"/\s*s(ec(ond)?s?)?$|\bper[ _]?s(ec(ond)?)?\b|flop/?s|\b[iq]?ops\b|\b[kmgt]?hz$|speed-?up|throughput|bandwidth"
    r"|\b[rqf]ps$|bps$|accuracy",
    re.IGNORECASE,
)
"""Units of which more is better: rates, and ratios with such a name."""


def unit_better(benchmark: Benchmark | None) -> Better:
    """Return which direction improves *benchmark*: ``lower`` for times and memory, whatever the unit is called."""
    if benchmark is None or benchmark.kind not in (BenchmarkKind.TRACK, BenchmarkKind.OTHER):
        return Better.LOWER
    return Better.HIGHER if RATE.search(benchmark.unit or "") else Better.LOWER

"""What was measured of one case on both commits, in which unit, and which direction is better."""

import re
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.model.benchmark import Benchmark, BenchmarkKind


class Better(StrEnum):
    """Which way a benchmark improves; asv itself knows ``lower`` only."""

    LOWER = "lower"
    HIGHER = "higher"


class Stage(StrEnum):
    """What the processes were measured for: to find suspects, or to convict them on fresh data."""

    SCREENING = "screening"
    CONFIRMATION = "confirmation"


class Pairing(StrEnum):
    """How the processes of base and head lie in time: taking turns, or in two runs with who knows what between."""

    INTERLEAVED = "interleaved"
    SEPARATE = "separate"


class MeasureKind(StrEnum):
    """What is counted, as far as judging has to know.

    Time is never exact. Anything else is taken to be exact where every process of a side gives the same value.
    """

    TIME = "time"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessValues:
    """One entry a process, in the order of the rounds: the value it stands for, and its median and 95th percentile.

    *medians* and *tails* are for the reader, not for the verdict; they are empty where nobody recorded them.
    """

    values: tuple[float, ...]
    medians: tuple[float, ...] = ()
    p95s: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSamples:
    """The processes of one stage on one machine; when interleaved, entry i of both sides ran in the same round."""

    stage: Stage
    pairing: Pairing = Pairing.INTERLEAVED
    machine: str = ""
    baseline: ProcessValues
    contender: ProcessValues

    @property
    def rounds(self) -> int:
        """Rounds that have both sides."""
        return min(len(self.baseline.values), len(self.contender.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseIdentity:
    """What is compared: a benchmark with one combination of its parameters, in one environment."""

    benchmark: str
    params: tuple[str, ...] = ()
    environment: str = ""

    @property
    def identity(self) -> tuple[str, tuple[str, ...], str]:
        """Return what no two entries of one comparison share."""
        return self.benchmark, self.params, self.environment


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedSamples(CaseIdentity):
    """All passes of one case, and what its owner said of it; *threshold* is a relative change, above zero."""

    unit: str = "seconds"
    kind: MeasureKind = MeasureKind.TIME
    better: Better = Better.LOWER
    threshold: float = 0.05
    stage_samples: tuple[StageSamples, ...] = ()

    def at(self, stage: Stage) -> tuple[StageSamples, ...]:
        """Return the passes of *stage*."""
        return tuple(one for one in self.stage_samples if one.stage is stage)


RATE = re.compile(
    r"/\s*s(ec(ond)?s?)?$|\bper[ _]?s(ec(ond)?)?\b|flop/?s|\b[iq]?ops\b|\b[kmgt]?hz$|speed-?up|throughput|bandwidth"
    r"|\b[rqf]ps$|bps$|accuracy",
    re.IGNORECASE,
)
"""Units of which more is better: rates, and ratios that call themselves so."""


def unit_better(benchmark: Benchmark | None) -> Better:
    """Return which way *benchmark* improves; less of times and memory, whatever their unit is called."""
    if benchmark is None or benchmark.kind not in (BenchmarkKind.TRACK, BenchmarkKind.OTHER):
        return Better.LOWER
    return Better.HIGHER if RATE.search(benchmark.unit or "") else Better.LOWER

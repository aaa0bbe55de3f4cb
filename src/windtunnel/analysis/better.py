"""Which way is better: less, unless a project or a unit says more."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.errors import ConfigurationError
from windtunnel.measurement import Benchmark, BenchmarkKind, BenchmarkName

RATE = re.compile(
    r"/\s*s(ec(ond)?s?)?$|\bper[ _]?s(ec(ond)?)?\b|flop/?s|\b[iq]?ops\b|\b[kmgt]?hz$|speed-?up|throughput|bandwidth"
    r"|\b[rqf]ps$|bps$|accuracy",
    re.IGNORECASE,
)
"""Units of which more is better: rates, and ratios that call themselves so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Better:
    """Regular expressions, searched in the names of benchmarks, for what the units do not tell."""

    higher: tuple[re.Pattern[str], ...] = ()
    lower: tuple[re.Pattern[str], ...] = ()

    def is_higher(self, name: BenchmarkName, benchmark: Benchmark | None) -> bool:
        """Tell whether more is better; times and memory are never rates, whatever their unit is called."""
        if any(pattern.search(name) for pattern in self.lower):
            return False
        if any(pattern.search(name) for pattern in self.higher):
            return True
        if benchmark is None or benchmark.kind not in (BenchmarkKind.TRACK, BenchmarkKind.OTHER):
            return False
        return bool(RATE.search(benchmark.unit or ""))


def patterns(texts: Sequence[str], source: str) -> tuple[re.Pattern[str], ...]:
    """Compile regular expressions; raises ConfigurationError, naming *source*, for one that is none."""
    compiled = []
    for text in texts:
        try:
            compiled.append(re.compile(text))
        except re.error as error:
            raise ConfigurationError(f"{source}: {text!r} is no regular expression: {error}") from None
    return tuple(compiled)

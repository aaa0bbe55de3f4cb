"""What asv times, as ``benchmarks.json`` describes it."""

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.model.field import Fields
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, ParameterGrid


class BenchmarkKind(StrEnum):
    """What a benchmark's value is; the value of a member is the word in asv's files."""

    TIME = "time"
    MEMORY = "memory"
    PEAK_MEMORY = "peakmemory"
    TRACK = "track"
    OTHER = "other"
    """A word that asv itself does not have: suites and plugins may bring their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One entry of ``benchmarks.json``.

    *type_word* is asv's ``type`` as written. *extra* holds the rest of the entry: timeout, number, repeat and whatever
    else a suite sets. *last_seen* is when the newest known result of this version was started (0: there is none); it
    decides which of two versions a merge keeps, and is None until a merge has looked.
    """

    name: BenchmarkName
    type_word: str
    unit: str | None = None
    version: BenchmarkVersion | None = None
    param_names: tuple[str, ...] = ()
    params: ParameterGrid = ()
    code: str = ""
    extra: Fields = ()
    last_seen: Instant | None = None

    @property
    def kind(self) -> BenchmarkKind:
        """What the value is."""
        try:
            return BenchmarkKind(self.type_word)
        except ValueError:
            return BenchmarkKind.OTHER

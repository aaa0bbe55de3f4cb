"""Benchmarks as ``benchmarks.json`` describes them, their cases, what these measure, and the selection to time.

Counts of instructions in a history are benchmarks of their own, beside those whose instructions they count. asv reads
and publishes them like any ``track_`` benchmark. Their version is that of the counted benchmark and of the counter
together, so counts that are not comparable begin a new series.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Final, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from windtunnel.errors import UsageError
from windtunnel.model.case_choice import MARKERS, matches
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Field, Fields, Instant, ParameterGrid, case_name

BenchmarkKind = Literal["time", "memory", "peakmemory", "track", "other"]
"""What a benchmark measures, in asv's words; other: a type that asv does not have, of a suite or plugin."""

BENCHMARK_KINDS: Final[tuple[BenchmarkKind, ...]] = get_args(BenchmarkKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One entry of ``benchmarks.json``."""

    name: BenchmarkName
    type_word: str
    """asv's ``type``, as written."""
    unit: str | None = None
    version: BenchmarkVersion | None = None
    param_names: tuple[str, ...] = ()
    params: ParameterGrid = ()
    code: str = ""
    extra: Fields = ()
    """The other keys of the entry: timeout, number, repeat, and whatever the suite sets."""
    last_seen: Instant | None = None
    """Start of the newest known result of this version: 0 when it has none, None before a merge. Newer ones win."""

    @property
    def kind(self) -> BenchmarkKind:
        """What the benchmark measures."""
        return next((kind for kind in BENCHMARK_KINDS if kind == self.type_word), "other")

    def attribute(self, name: str) -> object:
        """Return the value of the key *name* among ``extra``; None without it."""
        return next((json.loads(each.json) for each in self.extra if each.name == name), None)

    def is_current(self, version: BenchmarkVersion | None) -> bool:
        """Return whether a result of *version* is of this benchmark; as in asv, one without a version is."""
        return version is None or version == self.version


class Case(Struct, frozen=True, kw_only=True, order=True):
    """One combination of a benchmark's parameters."""

    index: int
    """Position in asv's order, which is that of ``itertools.product``."""
    name: str
    """``benchmark(value, value)``, which asv's ``-b`` matches; stays right when a parameter gets another value."""


class Selection(Struct, frozen=True, kw_only=True):
    """The cases of one benchmark to time."""

    benchmark: str
    """Name of the benchmark."""
    version: str
    """Version of the benchmark."""
    cases: tuple[Case, ...]
    """Cases to time."""
    rounds: int = 0
    """Processes of each case; 0 leaves the number to the benchmark."""


Selected = tuple[Benchmark, Selection]


def cases_of(benchmark: Benchmark) -> tuple[Case, ...]:
    """Return the cases of *benchmark*; a benchmark without parameters has one case of its own name."""
    combinations = enumerate(product(*benchmark.params))
    return tuple(Case(index=index, name=case_name(benchmark.name, values)) for index, values in combinations)


def select(
    benchmarks: tuple[Benchmark, ...], patterns: tuple[str, ...], k: str = "", m: str = ""
) -> Iterator[Selected]:
    """Yield each benchmark with the cases whose name matches any of *patterns*, as asv's ``-b`` does.

    Without patterns all cases match. *k* and *m* are expressions of pytest: of those cases, the ones whose names and
    markers contain what *k* says, and whose markers are what *m* says. Raises UsageError for an invalid expression.
    """
    try:
        compiled = [re.compile(pattern) for pattern in patterns]
    except re.error as error:
        raise UsageError(f"--bench {error.pattern!r} is not a valid regular expression: {error}") from None
    for benchmark in benchmarks:
        kept = tuple(
            case
            for case in cases_of(benchmark)
            if (not compiled or any(p.search(case.name) for p in compiled))
            and (not (k or m) or _is_chosen(benchmark, case, k, m))
        )
        if kept:
            yield benchmark, Selection(benchmark=benchmark.name, version=benchmark.version or "", cases=kept)


def _is_chosen(benchmark: Benchmark, case: Case, k: str, m: str) -> bool:
    """Return whether the expressions *k* and *m* of pytest choose *case*."""
    title, listed = benchmark.attribute(PRETTY_NAME), benchmark.attribute(MARKERS)
    of_cases = listed if isinstance(listed, list) and listed else [[]]
    marks = of_cases[case.index] if case.index < len(of_cases) else of_cases[0]
    values = "-".join(each.strip("'") for each in next(islice(product(*benchmark.params), case.index, None)))
    text = f"{title or benchmark.name}[{values}]\n{marks}".lower()  # contains pytest's name of the case
    in_name = not k or matches("-k", k, lambda word: word.lower() in text)
    return in_name and (not m or matches("-m", m, marks.__contains__))


Better = Literal["lower", "higher"]
"""Which direction is an improvement; asv itself only knows ``lower``."""


MeasureKind = Literal["time", "other"]
"""What a value is: a duration, never exact; or other, exact if all processes of an arm return the same value."""


Identity = tuple[str, tuple[str, ...], str]
"""Benchmark, parameter values and environment of a case."""


class CaseIdentity(Struct, frozen=True, kw_only=True):
    """A benchmark with one combination of parameter values in one environment."""

    benchmark: str
    """asv's name of the benchmark."""
    params: tuple[str, ...] = ()
    """One value for each parameter, as asv writes it."""
    environment: str = ""
    """asv's name of the environment."""

    @property
    def identity(self) -> Identity:
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
    if benchmark is None or benchmark.kind not in ("track", "other"):
        return "lower"
    return "higher" if RATE.search(benchmark.unit or "") else "lower"


COUNTS_OF = "windtunnel_counts_of"
"""Key of an entry of benchmarks.json: the benchmark whose instructions it counts."""

COUNTS_SUFFIX = ".instructions"
"""What the name of a count has after the name of the counted benchmark."""

COUNTER_VERSION = "2"
"""The version of how instructions are counted: raise it when the same code would give other counts."""

INSTRUCTIONS = "instructions"
"""The unit of counts."""

COUNTED_WITH = "counted_with"
"""Field of a row of counts: the Python and the counter, which the counts depend on."""

KEPT = frozenset({"timeout", "setup_cache_key", "setup_cache_timeout"})
"""The keys of a counted benchmark that apply to its counts as well."""

PRETTY_NAME = "pretty_name"
"""asv's key for the name that its pages show."""


def counts_of(benchmark: Benchmark) -> str:
    """Return the name of the benchmark whose instructions *benchmark* counts; empty if it counts none."""
    name = benchmark.attribute(COUNTS_OF)
    return name if isinstance(name, str) else ""


def counted_name(name: str) -> str:
    """Return the name of the benchmark that *name* says it counts; empty if it is not the name of a count."""
    return name.removesuffix(COUNTS_SUFFIX) if name.endswith(COUNTS_SUFFIX) else ""


def is_countable(benchmark: Benchmark) -> bool:
    """Return whether instructions of *benchmark* can be counted: asv times it in its own process."""
    method = benchmark.name.rpartition(".")[2]
    return benchmark.kind == "time" and not method.lower().startswith("timeraw")


def counting(benchmark: Benchmark) -> Benchmark:
    """Return the benchmark that counts the instructions of *benchmark*."""
    versions = f"{benchmark.version} counted by {COUNTER_VERSION}"
    version = hashlib.sha256(versions.encode("utf-8", "surrogatepass")).hexdigest()
    extra = [each for each in benchmark.extra if each.name in KEPT]
    if isinstance(title := benchmark.attribute(PRETTY_NAME), str):
        extra.append(Field(name=PRETTY_NAME, json=json.dumps(f"{title} ({INSTRUCTIONS})")))
    extra.append(Field(name=COUNTS_OF, json=json.dumps(benchmark.name)))
    return Benchmark(
        name=BenchmarkName(f"{benchmark.name}{COUNTS_SUFFIX}"),
        type_word="track",
        unit=INSTRUCTIONS,
        version=BenchmarkVersion(version),
        param_names=benchmark.param_names,
        params=benchmark.params,
        code=benchmark.code,
        extra=tuple(sorted(extra)),
    )


def with_counts(selected: Iterable[Selected]) -> Iterator[Selected]:
    """Yield what is *selected*, and after each benchmark that can be counted the counts of its selected cases."""
    for benchmark, selection in selected:
        yield benchmark, selection
        if is_countable(benchmark):
            counts = counting(benchmark)
            chosen = {case.index for case in selection.cases}
            cases = tuple(case for case in cases_of(counts) if case.index in chosen)
            version = counts.version or ""
            yield counts, replace(selection, benchmark=counts.name, version=version, cases=cases)

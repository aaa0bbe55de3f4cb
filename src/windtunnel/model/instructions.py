"""Counts of instructions in a history: each is a benchmark of its own, beside the one whose instructions it counts.

asv reads and publishes it like any ``track_`` benchmark. Its version is that of the counted benchmark and of the
counter together, so counts that are not comparable begin a new series.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from windtunnel.model.benchmark import Benchmark, BenchmarkKind, Selected, cases_of
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Field

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
    return benchmark.kind is BenchmarkKind.TIME and not method.lower().startswith("timeraw")


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
        type_word=BenchmarkKind.TRACK.value,
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

"""Lists of benchmarks to one: nothing is dropped, the entry whose results are newest stands."""

from collections.abc import Iterable

from windtunnel.model.benchmark import Benchmark


def merge_benchmarks(lists: Iterable[Iterable[Benchmark]]) -> tuple[Benchmark, ...]:
    """Return every benchmark of all *lists*, sorted by name.

    Of two entries for one name the one last seen in a result stands: a suite that discovers fewer benchmarks drops
    none, and one that has an older version does not hide newer results.
    """
    merged: dict[str, Benchmark] = {}
    for benchmarks in lists:
        for benchmark in benchmarks:
            merged[benchmark.name] = max(benchmark, merged.get(benchmark.name, benchmark), key=_rank)
    return tuple(merged[name] for name in sorted(merged))


def _rank(benchmark: Benchmark) -> tuple[int, str, str]:
    return benchmark.last_seen or 0, benchmark.version or "", repr(benchmark)

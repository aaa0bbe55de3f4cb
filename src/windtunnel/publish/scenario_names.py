"""What people call a scenario: as little of its benchmark's name as tells it from the others."""

from collections import Counter
from collections.abc import Sequence

from windtunnel.model.identity import BenchmarkName


def scenario_names(benchmarks: Sequence[BenchmarkName]) -> tuple[str, ...]:
    """Return a name for each of *benchmarks*: its module, its class where two share the module, at worst all of it.

    ``sleep.Sleep.time_run`` is ``sleep``; ``io.files.time_run`` is ``io.files``.
    """
    names = [module_of(name) for name in benchmarks]
    for longer in (_suite, str):
        counts = Counter(names)
        pairs = zip(names, benchmarks, strict=True)
        names = [name if counts[name] == 1 else longer(benchmark) for name, benchmark in pairs]
    return tuple(names)


def module_of(name: str) -> str:
    """Return the module of the benchmark called *name*; its whole name where it has none."""
    *above, _ = name.split(".")
    if len(above) > 1 and above[-1][:1].isupper():
        above.pop()
    return ".".join(above) or name


def _suite(name: str) -> str:
    return name.rpartition(".")[0] or name

"""What people call a scenario: as little of its benchmark's name as tells it from the others."""

from collections import Counter
from collections.abc import Sequence

from windtunnel.measurement import BenchmarkName


def scenario_names(benchmarks: Sequence[BenchmarkName]) -> tuple[str, ...]:
    """Return a name for each of *benchmarks*: its module, or all of it where two share the module.

    ``sleep.Sleep.time_run`` is ``sleep``; ``io.files.time_run`` is ``io.files``.
    """
    short = [_module(name) for name in benchmarks]
    counts = Counter(short)
    return tuple(name if counts[name] == 1 else full for name, full in zip(short, benchmarks, strict=True))


def _module(name: str) -> str:
    *above, _ = name.split(".")
    if len(above) > 1 and above[-1][:1].isupper():
        above.pop()
    return ".".join(above) or name

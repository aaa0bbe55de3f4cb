"""What names the things that are measured; texts that must not be mixed up."""

from collections.abc import Sequence
from typing import NewType

BenchmarkName = NewType("BenchmarkName", str)
"""Dotted path of a benchmark, as asv has it: ``module.Suite.time_method``."""

BenchmarkVersion = NewType("BenchmarkVersion", str)
"""Text that changes when results stop being comparable; a hash of the source unless the suite sets it."""

EnvironmentName = NewType("EnvironmentName", str)
"""What asv calls an environment: ``virtualenv-py3.12-numpy2.0``."""

MachineName = NewType("MachineName", str)
"""What names a machine in a results tree, and its folder there."""

Parameters = tuple[str, ...]
"""One combination of parameter values, each the ``repr`` that asv keeps; ``()`` for a benchmark without parameters."""

ParameterGrid = tuple[tuple[str, ...], ...]
"""The values of every parameter; combinations run in the order of ``itertools.product``."""

Instant = NewType("Instant", int)
"""Milliseconds since 1970 in UTC, exactly as asv's files count; the one unit that is no base unit."""


def case_name(benchmark: str, params: Sequence[str]) -> str:
    """Return a case as asv writes it: ``name(value, value)``, with the values as they are kept."""
    return f"{benchmark}({', '.join(params)})" if params else benchmark

"""Names of the things that are measured, as types that cannot be confused, and fields that pass through unchanged."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NewType

CommitHash = NewType("CommitHash", str)
"""The full hash of a commit: 40 hexadecimal digits, or 64 in a SHA-256 repository."""


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


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Field:
    """A named JSON value, kept as JSON text (``NaN`` and ``Infinity`` included), so that it is frozen and lossless."""

    name: str
    json: str

    @property
    def text(self) -> str:
        """The value as a reader sees it: a text without quotes, anything else as JSON."""
        value = json.loads(self.json)
        return value if isinstance(value, str) else self.json


Fields = tuple[Field, ...]
"""Fields in the order of their names; no name twice."""


def text_of(fields: Fields, name: str) -> str | None:
    """Return the text of the field called *name*, None where there is none."""
    return next((field.text for field in fields if field.name == name), None)

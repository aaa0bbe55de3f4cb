"""Names of what is measured, as distinct types, and unknown fields that pass through unchanged."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NewType

CommitHash = NewType("CommitHash", str)
"""The full hash of a commit: 40 hexadecimal digits, or 64 in a SHA-256 repository."""


BenchmarkName = NewType("BenchmarkName", str)
"""Dotted path of a benchmark: ``module.Suite.time_method``."""

BenchmarkVersion = NewType("BenchmarkVersion", str)
"""Changes when results cannot be compared any more; a hash of the source unless the suite sets it."""

EnvironmentName = NewType("EnvironmentName", str)
"""asv's name of an environment: ``virtualenv-py3.12-numpy2.0``."""

MachineName = NewType("MachineName", str)
"""Name of a machine and of its folder in a results tree."""

Parameters = tuple[str, ...]
"""One combination of parameter values, each asv's ``repr``; ``()`` for a benchmark without parameters."""

ParameterGrid = tuple[tuple[str, ...], ...]
"""The values of every parameter; combinations run in the order of ``itertools.product``."""

Instant = NewType("Instant", int)
"""Milliseconds since 1970 in UTC, as in asv's files."""


def case_name(benchmark: str, params: Sequence[str]) -> str:
    """Return asv's name of a case: ``name(value, value)``."""
    return f"{benchmark}({', '.join(params)})" if params else benchmark


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Field:
    """A named JSON value, stored as JSON text (``NaN`` and ``Infinity`` included): frozen and lossless."""

    name: str
    json: str

    @property
    def text(self) -> str:
        """The value for display: a text without quotes, anything else as JSON."""
        value = json.loads(self.json)
        return value if isinstance(value, str) else self.json


Fields = tuple[Field, ...]
"""Fields sorted by name; names are unique."""


def text_of(fields: Fields, name: str) -> str | None:
    """Return the text of the field called *name*; None without one."""
    return next((field.text for field in fields if field.name == name), None)

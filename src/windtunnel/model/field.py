"""A name and a value that pass through unchanged: what files say beyond the words that Windtunnel knows."""

import json
from dataclasses import dataclass


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

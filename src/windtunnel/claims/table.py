"""A TOML table that is read strictly: every key once, by type, and no other; errors name file, claim and key."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from windtunnel.errors import ConfigurationError

LARGEST = 1e100
"""What a float can still be reckoned with; no ratio comes near it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of a file; *where* names both for messages."""

    data: Mapping[str, object]
    where: str

    def wrong(self, key: str, advice: str) -> ConfigurationError:
        """Return the error that *key* has a value that cannot be; *advice* says what to write."""
        found = f"is {_shown(self.data[key])}" if key in self.data else "is missing"
        return ConfigurationError(f"{self.where}: {key!r} {found}; {advice}")

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that are not *known*."""
        if unknown := {*self.data}.difference(known):
            raise ConfigurationError(
                f"{self.where}: there is no key {min(unknown)!r}; the keys are {', '.join(sorted(known))}"
            )

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; *default* (None: there must be one) where the key is missing."""
        value = self.data.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.wrong(key, "write a text in quotes")
        return value

    def number(self, key: str) -> float | None:
        """Return a number above zero, None where the key is missing."""
        if key not in self.data:
            return None
        value = self.data[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LARGEST:
            raise self.wrong(key, "write a number above zero")
        return float(value)

    def count(self, key: str, default: int) -> int:
        """Return a whole number, 1 or more."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(key, "write a whole number, 1 or more")
        return value

    def flag(self, key: str) -> bool | None:
        """Return true or false, None where the key is missing."""
        value = self.data.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(key, "write true or false")
        return value

    def table(self, key: str) -> "Table":
        """Return a table, an empty one where the key is missing."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "write a table")
        return Table(data=value, where=f"{self.where}, {key}")

    def tables(self, key: str) -> Iterator["Table"]:
        """Yield the tables of an array, in their order and numbered."""
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.wrong(key, f"write [[{key}]] tables")
        for place, each in enumerate(value, 1):
            yield Table(data=each, where=f"{self.where}, {key} {place}")

    def settings(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each key with its value or values as asv keeps them: the ``repr`` of what Python would have."""
        for key, value in self.data.items():
            values = value if isinstance(value, list) else [value]
            if not values or not all(isinstance(each, str | int | float) for each in values):
                raise self.wrong(key, "write a text, a number, or a list of them")
            yield key, tuple(map(repr, values))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

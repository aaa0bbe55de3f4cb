"""Inserting many rows in one transaction."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How many rows."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """How many rows the database says were inserted."""
        return (self.count,)


BULK_INSERT = Scenario(
    name="bulk_insert",
    variants=(
        Variant(name="row_by_row", needs=("_sqlite3",)),
        Variant(name="executemany", needs=("_sqlite3",)),
        Variant(name="aiosqlite_row_by_row", needs=("_sqlite3", "aiosqlite")),
        Variant(name="aiosqlite_executemany", needs=("_sqlite3", "aiosqlite")),
    ),
    loads=(
        Rows(name=LoadName.TRIAL, count=10),
        Rows(name=LoadName.QUICK, count=2_000),
        Rows(name=LoadName.STANDARD, count=20_000),
        Rows(name=LoadName.ARTICLE, count=200_000),
    ),
)

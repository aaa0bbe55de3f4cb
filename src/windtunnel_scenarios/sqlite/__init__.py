"""Slow queries on a database file, each on a connection of its own."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """How long each query takes, in seconds."""

    name: LoadName
    periods: tuple[float, ...]

    @property
    def outcome(self) -> Outcome:
        """What each query answers: its period."""
        return self.periods


SQLITE = Scenario(
    name="sqlite",
    variants=(
        Variant(name="sync", needs=("_sqlite3",)),
        Variant(name="aiosqlite_gather", needs=("_sqlite3", "aiosqlite")),
        Variant(name="threads", needs=("_sqlite3",)),
    ),
    loads=(
        Queries(name=LoadName.TRIAL, periods=(0.001, 0.002, 0.003)),
        Queries(name=LoadName.QUICK, periods=(0.1, 0.1, 0.1)),
        Queries(name=LoadName.STANDARD, periods=(0.2, 0.2, 0.2)),
        Queries(name=LoadName.ARTICLE, periods=(0.2, 0.2, 0.2)),
    ),
)

SQLITE_ONE = Scenario(
    name="sqlite_one",
    folder="sqlite",
    variants=(
        Variant(name="sync", needs=("_sqlite3",)),
        Variant(name="aiosqlite_gather", needs=("_sqlite3", "aiosqlite")),
    ),
    loads=(
        Queries(name=LoadName.TRIAL, periods=(0.001,)),
        Queries(name=LoadName.QUICK, periods=(0.1,)),
        Queries(name=LoadName.STANDARD, periods=(0.2,)),
        Queries(name=LoadName.ARTICLE, periods=(0.2,)),
    ),
)

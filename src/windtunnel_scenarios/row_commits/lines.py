"""What is inserted: rows that the database numbers, for each run adds as many."""

from windtunnel_scenarios.bulk_insert import Rows
from windtunnel_scenarios.bulk_insert.table import rows

INSERT = "INSERT INTO line (name, price) VALUES (?, ?)"


def lines(load: Rows) -> tuple[tuple[str, float], ...]:
    """Names and prices, made before the clock starts."""
    return tuple((name, price) for _, name, price in rows(load))

"""Analytical queries on a table in DuckDB's memory: its own threads, Python's threads, or one thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.pools import warm_threads

WORKERS = 4

GROUPS = 100

QUERY = "SELECT sum(total) FROM (SELECT number % ? AS part, sum(number * number) AS total FROM fact GROUP BY part)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregates:
    """How many queries, each over all rows of the table."""

    count: int
    rows: int

    @property
    def outcome(self) -> Outcome:
        """The answers: the sum of squares, each time."""
        last = self.rows - 1
        return (last * (last + 1) * (2 * last + 1) // 6,) * self.count


@contextmanager
def queries(load: Aggregates, *, duckdb_threads: int, workers: int = 0) -> Iterator[Run]:
    """Ask with so many threads inside DuckDB, one query after the other or from so many threads of Python."""
    import duckdb

    with duckdb.connect(":memory:", config={"threads": duckdb_threads}) as database, warm_threads(workers or 1) as pool:
        database.execute("CREATE TABLE fact AS SELECT range AS number FROM range(?)", [load.rows])
        cursors = [database.cursor() for _ in range(load.count)]

        def ask(cursor: "duckdb.DuckDBPyConnection") -> int:
            ((answer,),) = cursor.execute(QUERY, [GROUPS]).fetchall()
            return int(answer)

        def run() -> Outcome:
            return tuple(pool.map(ask, cursors) if workers else map(ask, cursors))

        try:
            yield run
        finally:
            for cursor in cursors:
                cursor.close()


DUCKDB = ("duckdb",)

DUCKDB_QUERIES = Scenario(
    name="duckdb_queries",
    loads=Loads(
        trial=Aggregates(count=4, rows=1_000),
        quick=Aggregates(count=4, rows=500_000),
        standard=Aggregates(count=16, rows=2_000_000),
    ),
    variants=(
        Variant(name="sync", technique=partial(queries, duckdb_threads=1), requires=DUCKDB),
        Variant(name="duckdb_threads", technique=partial(queries, duckdb_threads=WORKERS), requires=DUCKDB),
        Variant(name="threads", technique=partial(queries, duckdb_threads=1, workers=WORKERS), requires=DUCKDB),
        Variant(name="both", technique=partial(queries, duckdb_threads=WORKERS, workers=WORKERS), requires=DUCKDB),
    ),
)

SCENARIOS = (DUCKDB_QUERIES,)

"""The database: a file with a row for each query, and a function that makes a query slow."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import sleep

from windtunnel_scenarios.sqlite import Queries
from windtunnel_scenarios.support.folders import kept_folder

QUERY = "SELECT pause(period) FROM job WHERE id = ?"


@contextmanager
def database(load: Queries) -> Iterator[Path]:
    """A database file with jobs 0 … n-1 and SQLite's default journal; nothing is written later."""
    with kept_folder() as folder:
        path = folder / "jobs.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE job (id INTEGER PRIMARY KEY, period REAL NOT NULL)")
            connection.executemany("INSERT INTO job VALUES (?, ?)", enumerate(load.periods))
        yield path


def connect(path: Path) -> sqlite3.Connection:
    """A connection that knows ``pause``, for whichever thread uses it first and the next after it."""
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.create_function("pause", 1, pause)
    return connection


def pause(period: float) -> float:
    """Wait inside SQLite; ``sleep`` releases the GIL, which a function that computes would not."""
    sleep(period)
    return period


def query(connection: sqlite3.Connection, job: int) -> float:
    """Ask for one job's period, which takes that long."""
    ((answer,),) = connection.execute(QUERY, (job,))
    return float(answer)

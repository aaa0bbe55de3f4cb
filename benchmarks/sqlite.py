"""SQLite."""

from benchmarks._bases import _Time


class SqliteQueries(_Time):
    """Make three slow queries on a database file."""

    scenario = "sqlite_queries"
    variants = ("sync", "aiosqlite_gather", "threads", "aiosqlite_gather_shared", "threads_shared")
    version = "1"
    max_samples = 3


class SqliteOneQuery(_Time):
    """Make one slow query."""

    scenario = "sqlite_one_query"
    variants = ("sync", "aiosqlite_gather")
    version = "1"
    max_samples = 3


class SqliteSums(_Time):
    """Make three queries that compute."""

    scenario = "sqlite_sums"
    variants = ("sync", "aiosqlite_gather", "threads")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class SqliteBulkInsert(_Time):
    """Insert many rows in one transaction."""

    scenario = "sqlite_bulk_insert"
    variants = ("row_by_row", "executemany", "aiosqlite_row_by_row", "aiosqlite_executemany")
    version = "2"
    max_samples = 3


class SqliteRowCommits(_Time):
    """Insert few rows with a commit for each."""

    scenario = "sqlite_row_commits"
    variants = ("sync", "aiosqlite")
    version = "1"
    max_samples = 3


class SqliteWal(_Time):
    """Read and write rows of a file in WAL mode."""

    scenario = "sqlite_wal"
    variants = ("sync", "threads", "threads_lock", "aiosqlite_own", "aiosqlite_shared")
    loads = ("quick", "standard")
    version = "2"
    max_samples = 3

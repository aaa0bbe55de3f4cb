"""Databases: PostgreSQL, Redis, DuckDB."""

from benchmarks._bases import _Latency, _PreparedTime, _ServerCpuTime, _Time


class PostgresSelect(_Time):
    """Ask for nothing many times."""

    scenario = "postgres_select"
    variants = (
        "sync",
        "threads_10",
        "threads_50",
        "psycopg_async",
        "asyncpg",
        "threads_pool_1",
        "threads_pool_10",
        "threads_pool_50",
        "psycopg_async_pool_1",
        "psycopg_async_pool_10",
        "psycopg_async_pool_50",
        "asyncpg_pool_1",
        "asyncpg_pool_10",
        "asyncpg_pool_50",
        "asyncpg_uvloop_pool_10",
    )
    loads = ("quick", "standard")
    setup_starts_servers = True
    version = "1"
    max_samples = 3


class PostgresWait(_Time):
    """Ask many times for what takes 10 ms."""

    scenario = "postgres_wait"
    variants = PostgresSelect.variants
    loads = ("quick", "standard")
    version = "2"
    max_samples = 3


class PostgresTransactions(_Time):
    """Move money between accounts, a transaction each."""

    scenario = "postgres_transactions"
    variants = PostgresSelect.variants
    loads = ("quick", "standard")
    version = "2"
    max_samples = 3


class PostgresInsert(_Time):
    """Insert rows in one transaction."""

    scenario = "postgres_insert"
    variants = (
        "psycopg_row_by_row",
        "psycopg_executemany",
        "psycopg_copy",
        "psycopg_async_row_by_row",
        "psycopg_async_executemany",
        "psycopg_async_copy",
        "asyncpg_row_by_row",
        "asyncpg_executemany",
        "asyncpg_copy",
    )
    version = "1"
    max_samples = 5


class PostgresRows(_Time):
    """Read rows with one query."""

    scenario = "postgres_rows"
    variants = ("sync", "psycopg_async", "asyncpg", "sqlalchemy", "sqlalchemy_asyncpg")
    loads = ("quick", "standard")
    setup_starts_servers = True
    version = "1"
    max_samples = 3


class RedisCommands(_Time):
    """Set keys, one command each."""

    scenario = "redis_commands"
    variants = ("sync", "threads_10", "asyncio", "asyncio_10")
    loads = ("quick", "standard")
    setup_starts_servers = True
    version = "1"
    max_samples = 3


class RedisPipeline(_Time):
    """Set keys in pipelines of a hundred commands."""

    scenario = "redis_pipeline"
    variants = ("sync", "threads_10", "asyncio", "asyncio_10")
    loads = ("quick", "standard")
    setup_starts_servers = True
    version = "1"
    max_samples = 3


class RedisPubsub(_Time):
    """Send messages from a publisher to a subscriber."""

    scenario = "redis_pubsub"
    variants = ("sync", "threads", "asyncio")
    loads = ("quick", "standard")
    version = "2"
    max_samples = 3


class DuckdbQueries(_Time):
    """Aggregate a table, several times."""

    scenario = "duckdb_queries"
    variants = ("sync", "duckdb_threads", "threads", "both")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class InsertRows(_PreparedTime):
    """Insert rows that stay, with a commit for each or in one transaction."""

    scenario = "insert_rows"
    variants = (
        "sqlite_commit_each",
        "sqlite_transaction",
        "sqlite_executemany",
        "sqlite_wal_commit_each",
        "sqlite_wal_transaction",
        "sqlite_wal_executemany",
        "psycopg_commit_each",
        "psycopg_transaction",
        "psycopg_executemany",
        "psycopg_unnest",
        "psycopg_copy",
        "asyncpg_commit_each",
        "asyncpg_transaction",
        "asyncpg_executemany",
        "asyncpg_unnest",
        "asyncpg_copy",
    )
    loads = (
        "10_rows",
        "100_rows",
        "1000_rows",
        "10000_rows",
    )
    version = "1"
    max_samples = 3


class DatabaseEndpoint(_Time):
    """Ask an endpoint that asks PostgreSQL."""

    scenario = "database_endpoint"
    variants = (
        "fastapi_asyncpg_pool_4",
        "fastapi_asyncpg_pool_10",
        "fastapi_asyncpg_pool_40",
        "fastapi_psycopg_pool_4",
        "fastapi_psycopg_pool_10",
        "fastapi_psycopg_pool_40",
        "fastapi_def_psycopg_pool_4",
        "fastapi_def_psycopg_pool_10",
        "fastapi_def_psycopg_pool_40",
        "flask_psycopg_pool_4",
        "flask_psycopg_pool_10",
        "flask_psycopg_pool_40",
    )
    loads = (
        "short",
        "10ms",
        "short_100_per_second",
        "10ms_100_per_second",
    )
    version = "1"
    max_samples = 2


class DatabaseEndpointLatency(_Latency):
    """The latency of each request; at a fixed rate, from when it was due."""

    scenario = "database_endpoint"
    variants = DatabaseEndpoint.variants
    loads = DatabaseEndpoint.loads
    version = "1"
    max_samples = 1


class DatabaseEndpointServerCpuTime(_ServerCpuTime):
    """How long the application computes for a request."""

    scenario = "database_endpoint"
    variants = DatabaseEndpoint.variants
    loads = DatabaseEndpoint.loads
    version = "1"
    max_samples = 2

"""A web application whose endpoint asks PostgreSQL through a pool of connections.

The arguments are the framework and driver, the size of the pool, how psycopg connects, and the query. ``GET /`` answers
with what the query returns. Nothing writes an access log.
"""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from windtunnel_scenarios.postgres import POOL_TIMEOUT
from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT, listening_socket, serve_gunicorn_threads

THREADS = 40
"""Threads of gunicorn's worker: as many as FastAPI gives plain functions."""

_opened = ExitStack()
"""Holds the pool of gunicorn's worker, which is killed at the end."""


def sync_pool(size: int, conninfo: str) -> Any:
    """Create psycopg's pool for threads."""
    from psycopg_pool import ConnectionPool

    return ConnectionPool(
        conninfo, min_size=size, max_size=size, timeout=POOL_TIMEOUT, kwargs={"autocommit": True}, open=False
    )


def fastapi_application(kind: str, size: int, conninfo: str, query: str) -> Any:
    """Create the application of FastAPI, which opens its pool when the server starts."""
    from fastapi import FastAPI
    from fastapi.responses import PlainTextResponse

    pool: Any = None

    async def with_asyncpg() -> str:
        async with pool.acquire() as connection:
            return str(await connection.fetchval(query))

    async def with_psycopg() -> str:
        async with pool.connection() as connection:
            ((found,),) = await (await connection.execute(query)).fetchall()
            return str(found)

    def in_thread() -> str:
        with pool.connection() as connection:
            ((found,),) = connection.execute(query).fetchall()
            return str(found)

    @asynccontextmanager
    async def lifespan(_application: Any) -> AsyncIterator[None]:
        nonlocal pool
        if kind == "fastapi_asyncpg":
            import asyncpg

            settings = dict(part.split("=") for part in conninfo.split())
            pool = await asyncpg.create_pool(
                host=settings["host"],
                port=int(settings["port"]),
                user=settings["user"],
                password=settings["password"],
                database=settings["dbname"],
                ssl=False,
                min_size=size,
                max_size=size,
            )
            yield
        elif kind == "fastapi_psycopg":
            from psycopg_pool import AsyncConnectionPool

            pool = AsyncConnectionPool(
                conninfo, min_size=size, max_size=size, timeout=POOL_TIMEOUT, kwargs={"autocommit": True}, open=False
            )
            async with pool:
                await pool.wait()
                yield
        else:
            pool = sync_pool(size, conninfo)
            with pool:
                pool.wait()
                yield

    application = FastAPI(default_response_class=PlainTextResponse, lifespan=lifespan)
    endpoints: dict[str, Callable[[], Any]] = {"fastapi_asyncpg": with_asyncpg, "fastapi_psycopg": with_psycopg}
    application.get("/")(endpoints.get(kind, in_thread))
    return application


def flask_application(size: int, conninfo: str, query: str) -> Any:
    """Create the application of Flask; in gunicorn's worker, which opens the pool."""
    from flask import Flask

    pool = _opened.enter_context(sync_pool(size, conninfo))
    pool.wait()
    application = Flask(__name__)

    @application.get("/")
    def ask() -> str:
        with pool.connection() as connection:
            ((found,),) = connection.execute(query).fetchall()
            return str(found)

    return application


def main(kind: str, size: str, conninfo: str, query: str) -> None:
    """Serve until killed."""
    with listening_socket(no_delay=True) as opened:
        if kind == "flask_psycopg":
            serve_gunicorn_threads(opened, THREADS, lambda: flask_application(int(size), conninfo, query))
            return
        import uvicorn

        config = uvicorn.Config(
            fastapi_application(kind, int(size), conninfo, query),
            loop="asyncio",
            http="h11",
            log_level="error",
            access_log=False,
            timeout_keep_alive=KEEP_ALIVE_TIMEOUT,
        )
        uvicorn.Server(config).run(sockets=[opened])


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A web application with an endpoint that computes and a light one, in one process with or without a pool.

The arguments are the framework, how the endpoints are defined, and uvicorn's event loop and parser.
``GET /compute/<n>`` computes for n milliseconds. Nothing writes an access log.
"""

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import Any

from windtunnel_scenarios.support.pools import warm_processes
from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT, listening_socket, serve_gunicorn_threads
from windtunnel_scenarios.support.worker_functions import compute_for

WORKERS = 2
"""Processes of the pool."""

_opened = ExitStack()
"""Holds the pool of gunicorn's worker, which is killed at the end."""

THREADS = 40
"""Threads of gunicorn's worker: as many as FastAPI gives plain functions."""


def fastapi_application(endpoints: str, pool: Executor | None) -> Any:
    """Create the application of FastAPI."""
    from fastapi import FastAPI
    from fastapi.responses import PlainTextResponse

    async def on_loop(milliseconds: int) -> str:
        compute_for(milliseconds)
        return str(milliseconds)

    def in_thread(milliseconds: int) -> str:
        compute_for(milliseconds)
        return str(milliseconds)

    async def in_pool(milliseconds: int) -> str:
        await asyncio.get_running_loop().run_in_executor(pool, compute_for, milliseconds)
        return str(milliseconds)

    async def light() -> str:
        return "light"

    def light_in_thread() -> str:
        return "light"

    application = FastAPI(default_response_class=PlainTextResponse)
    computing: dict[str, Callable[[int], Any]] = {"async_def": on_loop, "process_pool": in_pool}
    application.get("/compute/{milliseconds}")(computing.get(endpoints, in_thread))
    application.get("/light")(light_in_thread if endpoints == "plain_def" else light)
    return application


def serve_fastapi(endpoints: str, pool: Executor | None, loop: str, parser: str) -> None:
    """Serve with uvicorn."""
    import uvicorn

    with listening_socket(no_delay=True) as opened:
        settings = uvicorn.Config(
            fastapi_application(endpoints, pool),
            loop=loop,
            http=parser,
            log_level="error",
            access_log=False,
            timeout_keep_alive=KEEP_ALIVE_TIMEOUT,
        )
        uvicorn.Server(settings).run(sockets=[opened])


def serve_aiohttp(endpoints: str, pool: Executor | None) -> None:
    """Serve with aiohttp."""
    from aiohttp import web

    async def compute(request: web.Request) -> web.Response:
        milliseconds = int(request.match_info["milliseconds"])
        if endpoints == "async_def":
            compute_for(milliseconds)
        else:  # without a pool of processes: in the loop's threads
            await asyncio.get_running_loop().run_in_executor(pool, compute_for, milliseconds)
        return web.Response(text=str(milliseconds))

    async def light(_request: web.Request) -> web.Response:
        return web.Response(text="light")

    application = web.Application()
    application.add_routes([web.get("/compute/{milliseconds}", compute), web.get("/light", light)])
    with listening_socket(no_delay=True) as opened:
        web.run_app(application, sock=opened, print=None, access_log=None, keepalive_timeout=KEEP_ALIVE_TIMEOUT)


def flask_application(endpoints: str) -> Any:
    """Create the application of Flask; in gunicorn's worker, which opens the pool."""
    from flask import Flask

    pool = _opened.enter_context(warm_processes(WORKERS)) if endpoints == "process_pool" else None
    application = Flask(__name__)

    @application.get("/compute/<int:milliseconds>")
    def compute(milliseconds: int) -> str:
        if pool:
            pool.submit(compute_for, milliseconds).result()
        else:
            compute_for(milliseconds)
        return str(milliseconds)

    @application.get("/light")
    def light() -> str:
        return "light"

    return application


def serve_flask(endpoints: str) -> None:
    """Serve with gunicorn's worker that has threads."""
    with listening_socket(no_delay=True) as opened:
        serve_gunicorn_threads(opened, THREADS, lambda: flask_application(endpoints))


def main(framework: str, endpoints: str, *server: str) -> None:
    """Serve until killed."""
    if framework == "flask":
        serve_flask(endpoints)
        return
    serve: Callable[..., None] = serve_fastapi if framework == "fastapi" else serve_aiohttp
    with ExitStack() as stack:
        pool = stack.enter_context(warm_processes(WORKERS)) if endpoints == "process_pool" else None
        serve(endpoints, pool, *server)


if __name__ == "__main__":
    main(*sys.argv[1:])

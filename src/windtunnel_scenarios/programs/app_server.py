"""One small application behind different servers, each with one worker. It sends messages of WebSockets back.

The arguments are the server, the event loop where the server offers several, and, for TLS, the file with the
certificate and the file with its key. ``GET /<seconds>`` is answered after so many seconds, and ``GET /version`` with
the version of HTTP. There are no access logs.
"""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, Literal

from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT, listening_socket, print_port, serve_gunicorn

BACKLOG = 1024
"""Connections that may wait, of every server."""

THREADS = 20
"""Threads of gunicorn's threaded worker: one for each connection of the load generator."""

MAX_STREAMS = 1_000
"""Requests of one HTTP/2 connection that the server handles at the same time."""


async def asgi_application(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
    """Wait as long as the path states, and answer with it; echo where the connection is a WebSocket."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "bytes": message["bytes"]})
        return
    if scope["type"] != "http":
        raise NotImplementedError  # the servers go on without lifespan events
    asked = scope["path"][1:]
    if asked == "version":
        asked = scope["http_version"]
    elif seconds := float(asked):
        await asyncio.sleep(seconds)
    body = asked.encode("ascii")
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def wsgi_application(environ: Any, start_response: Callable[..., object]) -> Iterable[bytes]:
    """Do the same for servers with threads."""
    delay = environ["PATH_INFO"][1:]
    if seconds := float(delay):
        sleep(seconds)
    body = delay.encode("ascii")
    start_response("200 OK", [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))])
    return [body]


def serve_uvicorn(loop: str, parser: Literal["h11", "httptools"] = "h11") -> None:
    """Serve with uvicorn. h11 parses HTTP where no parser is named, so that all Pythons have the same."""
    import uvicorn

    with listening_socket(no_delay=True) as opened:
        settings = uvicorn.Config(
            asgi_application,
            loop="rloop:new_event_loop" if loop == "rloop" else loop,
            http=parser,
            ws_ping_interval=None,
            lifespan="off",
            log_level="error",
            access_log=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_TIMEOUT,
        )
        uvicorn.Server(settings).run(sockets=[opened])


def serve_hypercorn(loop: str) -> None:
    """Serve with hypercorn, in this process."""
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    with listening_socket(no_delay=True) as opened:
        settings = Config()
        settings.bind = [f"fd://{opened.fileno()}"]
        settings.keep_alive_timeout = KEEP_ALIVE_TIMEOUT
        settings.loglevel = "ERROR"
        settings.backlog = BACKLOG
        if loop == "uvloop":
            import uvloop

            uvloop.run(serve(asgi_application, settings))
        else:
            asyncio.run(serve(asgi_application, settings))


def serve_granian(loop: str, certificate: str = "", key: str = "") -> None:
    """Serve with granian, which opens its socket itself: on a port that another socket reserves."""
    from granian import Granian
    from granian.constants import Interfaces, Loops
    from granian.http import HTTP1Settings, HTTP2Settings

    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind(("127.0.0.1", 0))
        Thread(target=print_port_when_open, args=(reserved,), daemon=True).start()
        Granian(
            f"{__spec__.name}:asgi_application",
            port=reserved.getsockname()[1],
            interface=Interfaces.ASGINL,
            loop=Loops(loop),
            backlog=BACKLOG,
            http1_settings=HTTP1Settings(header_read_timeout=KEEP_ALIVE_TIMEOUT * 1_000),
            http2_settings=HTTP2Settings(max_concurrent_streams=MAX_STREAMS),
            ssl_cert=Path(certificate) if certificate else None,
            ssl_key=Path(key) if key else None,
            log_enabled=False,
        ).serve()


def print_port_when_open(reserved: socket.socket) -> None:
    """Print the port as soon as a server accepts connections there.

    Nothing is imported here, unlike in ``socket.create_connection``: the import of an extension turns the lock of a
    free-threaded Python on for a moment, and granian does not start with a lock.
    """
    while True:
        with suppress(ConnectionRefusedError), socket.socket() as tried:
            tried.connect(reserved.getsockname())
            break
        sleep(0.01)
    print_port(reserved)


def serve_gunicorn_worker(worker: str) -> None:
    """Serve with one worker of gunicorn."""
    with listening_socket(no_delay=True) as opened:
        settings = {
            "bind": f"fd://{opened.fileno()}",
            "workers": 1,
            "backlog": BACKLOG,
            "http_parser": "python",
            "worker_class": worker,
            "threads": THREADS if worker == "gthread" else 1,
        }
        serve_gunicorn(settings, lambda: wsgi_application)


SERVERS: dict[str, Callable[..., None]] = {
    "uvicorn": serve_uvicorn,
    "hypercorn": serve_hypercorn,
    "granian": serve_granian,
    "gunicorn": serve_gunicorn_worker,
}

if __name__ == "__main__":
    SERVERS[sys.argv[1]](*sys.argv[2:])

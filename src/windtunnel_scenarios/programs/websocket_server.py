"""A WebSocket server that sends every message back; the argument is the name of its kind in ``SERVERS``.

None compresses and none sends pings, so that all do the same work.
"""

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from socket import socket
from typing import TYPE_CHECKING

from windtunnel_scenarios.support.loops import LoopFactory, uvloop_factory
from windtunnel_scenarios.support.servers import listening_socket

if TYPE_CHECKING:
    from aiohttp import web
    from websockets.asyncio.server import ServerConnection as AsyncConnection
    from websockets.sync.server import ServerConnection


def websockets_threads(opened: socket) -> None:
    """Serve with websockets' synchronous server: a thread that handles each connection, and one that reads from it."""
    from websockets.sync.server import serve

    def echo(connection: "ServerConnection") -> None:
        for message in connection:
            connection.send(message)

    with serve(echo, sock=opened, compression=None, ping_interval=None) as server:
        server.serve_forever()


def websockets_asyncio(opened: socket, factory: LoopFactory | None = None) -> None:
    """Serve with websockets' asynchronous server: a task for each connection."""
    from websockets.asyncio.server import serve

    async def echo(connection: "AsyncConnection") -> None:
        async for message in connection:
            await connection.send(message)

    async def main() -> None:
        async with serve(echo, sock=opened, compression=None, ping_interval=None) as server:
            await server.serve_forever()

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main())


def aiohttp(opened: socket, factory: LoopFactory | None = None) -> None:
    """Serve with aiohttp: a task for each connection."""
    from aiohttp import web

    async def echo(request: "web.Request") -> "web.WebSocketResponse":
        connection = web.WebSocketResponse(compress=False)
        await connection.prepare(request)
        async for message in connection:
            await connection.send_bytes(message.data)
        return connection

    app = web.Application()
    app.router.add_get("/", echo)
    web.run_app(app, sock=opened, print=None, access_log=None, loop=factory() if factory else None)


SERVERS: dict[str, Callable[[socket], None]] = {
    "websockets_threads": websockets_threads,
    "websockets_asyncio": websockets_asyncio,
    "websockets_uvloop": partial(websockets_asyncio, factory=uvloop_factory),
    "aiohttp": aiohttp,
    "aiohttp_uvloop": partial(aiohttp, factory=uvloop_factory),
}

if __name__ == "__main__":
    with listening_socket() as listening:
        SERVERS[sys.argv[1]](listening)

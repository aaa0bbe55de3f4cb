"""A server that sends back messages of a fixed size, with threads, asyncio or uvloop.

The arguments are which of the three, the size in bytes, and for TLS the file with the certificate and its key.
"""

import asyncio
import socket
import ssl
import sys
from threading import Thread

from windtunnel_scenarios.support.loops import uvloop_factory
from windtunnel_scenarios.support.servers import listening_socket


def serve_threads(listener: socket.socket, size: int, context: ssl.SSLContext | None) -> None:
    """Use a thread for each connection."""

    def serve(accepted: socket.socket) -> None:
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(accepted, server_side=True) if context else accepted as connection:
            stream = connection.makefile("rb")
            while message := stream.read(size):
                connection.sendall(message)

    while True:
        Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


async def serve_streams(listener: socket.socket, size: int, context: ssl.SSLContext | None) -> None:
    """Use asyncio's streams."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                message = await reader.readexactly(size)
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()
                return
            writer.write(message)
            await writer.drain()

    server = await asyncio.start_server(serve, sock=listener, ssl=context)
    await server.serve_forever()


def main(kind: str, size: str, certificate: str = "") -> None:
    """Serve until killed."""
    context = None
    if certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
    with listening_socket(no_delay=True) as opened:
        if kind == "threads":
            serve_threads(opened, int(size), context)
        else:
            with asyncio.Runner(loop_factory=uvloop_factory if kind == "uvloop" else None) as runner:
                runner.run(serve_streams(opened, int(size), context))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The server: answers ``GET /<seconds>`` after that many seconds; run as a process of its own.

Written on asyncio's streams, so that a change of a server library does not look like one of a client library.
"""

import asyncio
import sys
from asyncio import IncompleteReadError, Semaphore, StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from ssl import SSLContext

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: %s\r\n\r\n%s"


async def serve(answer: Callable[[bytes], Awaitable[bytes]], at_once: int = 0, tls: SSLContext | None = None) -> None:
    """Serve until killed, so many requests at the same time (0: any number); ``answer`` makes the body for a path."""
    turn = Semaphore(at_once) if at_once else nullcontext()

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                async with turn:
                    body = await answer(head.split(b" ", 2)[1])
                kept = b"close" not in head.lower()
                writer.write(ANSWER % (len(body), b"keep-alive" if kept else b"close", body))
                if not kept:
                    break
        except (IncompleteReadError, ConnectionError):
            pass  # the client hung up between requests
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=1024, ssl=tls)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


async def delayed(target: bytes) -> bytes:
    """Wait as long as the path says, and say so."""
    delay = target.removeprefix(b"/")
    await asyncio.sleep(float(delay))
    return delay


if __name__ == "__main__":
    asyncio.run(serve(delayed, at_once=int(sys.argv[1])))

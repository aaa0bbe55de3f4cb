"""A proxy to a port of this machine that delays every byte: the round trip to a server that is far away.

The arguments are the port and the delay each way, in seconds. Each byte arrives as long after it was sent, however many
are in transit. Opening a connection takes a round trip, as on a real line.
"""

import asyncio
import sys
from asyncio import Queue, StreamReader, StreamWriter, TaskGroup, open_connection, sleep
from contextlib import suppress
from time import monotonic

from windtunnel_scenarios.support.servers import listening_socket

MAX_BLOCK = 2**16
"""Bytes that are carried in one piece."""


async def serve(port: int, delay: float) -> None:
    """Forward connections until killed."""

    async def handle(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(ConnectionError, ExceptionGroup):
            server_reader, server_writer = await open_connection("127.0.0.1", port)
            await sleep(2 * delay)
            async with TaskGroup() as directions:
                directions.create_task(carry(reader, server_writer, delay))
                directions.create_task(carry(server_reader, writer, delay))

    server = await asyncio.start_server(handle, sock=listening_socket())
    await server.serve_forever()


async def carry(reader: StreamReader, writer: StreamWriter, delay: float) -> None:
    """Forward in one direction, the end of the stream included."""
    in_transit: Queue[tuple[float, bytes]] = Queue()

    async def receive() -> None:
        block = b"."
        while block:
            block = await reader.read(MAX_BLOCK)
            in_transit.put_nowait((monotonic() + delay, block))

    async def deliver() -> None:
        while True:
            due, block = await in_transit.get()
            await sleep(max(due - monotonic(), 0.0))
            if not block:
                break
            writer.write(block)
        writer.close()

    async with TaskGroup() as ends:
        ends.create_task(receive())
        ends.create_task(deliver())


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2])))

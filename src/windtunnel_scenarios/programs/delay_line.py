"""A line to a port of this machine on which bytes take a while; run as a process of its own.

However many are under way, each arrives as long after it was sent. Opening a connection takes a round trip, as on a
real line.
"""

import asyncio
import sys
from asyncio import Queue, StreamReader, StreamWriter, TaskGroup, open_connection, sleep
from contextlib import suppress
from time import monotonic

from windtunnel_scenarios.listening import listening

LARGEST = 1 << 16
"""Bytes that are carried in one piece."""


async def lay(port: int, delay: float) -> None:
    """Carry connections to ``port`` until killed; bytes take ``delay`` seconds each way."""

    async def connected(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(ConnectionError, ExceptionGroup):
            far_reader, far_writer = await open_connection("127.0.0.1", port)
            await sleep(2 * delay)
            async with TaskGroup() as directions:
                directions.create_task(carry(reader, far_writer, delay))
                directions.create_task(carry(far_reader, writer, delay))

    server = await asyncio.start_server(connected, sock=listening())
    await server.serve_forever()


async def carry(reader: StreamReader, writer: StreamWriter, delay: float) -> None:
    """Hand on in one direction, the end as well."""
    under_way: Queue[tuple[float, bytes]] = Queue()

    async def receive() -> None:
        block = b"."
        while block:
            block = await reader.read(LARGEST)
            under_way.put_nowait((monotonic() + delay, block))

    async def deliver() -> None:
        while True:
            due, block = await under_way.get()
            await sleep(max(due - monotonic(), 0.0))
            if not block:
                break
            writer.write(block)
        writer.close()

    async with TaskGroup() as ends:
        ends.create_task(receive())
        ends.create_task(deliver())


if __name__ == "__main__":
    asyncio.run(lay(int(sys.argv[1]), float(sys.argv[2])))

"""Our own load generator: so many connections, on each of which one request follows the answer to the last.

Without a rate it is a closed loop: it stops asking when the server stalls, so its latencies are those of the requests
that were made, not of users who would have come meanwhile. With a rate requests are due at fixed times, and latencies
count from there, also when no connection was free.
"""

from asyncio import AbstractEventLoop, StreamReader, StreamWriter, gather, open_connection, sleep
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from windtunnel_scenarios.model import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """How many requests over how many connections, and whether a connection outlives its request.

    ``rate``: how many are due in a second; 0 is as soon as a connection is free. ``fresh``: whether each run begins
    with new connections.
    """

    path: str
    count: int
    connections: int
    keep: bool = True
    rate: float = 0.0
    fresh: bool = False


class Connection:
    """One connection to a server on this machine; opened when first used, and again when the server closed it."""

    def __init__(self, port: int, calls: Calls) -> None:
        self._port, self._keep = port, calls.keep
        how = "keep-alive" if calls.keep else "close"
        self._request = f"GET {calls.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: {how}\r\n\r\n".encode("ascii")
        self._streams: tuple[StreamReader, StreamWriter] | None = None

    async def open(self) -> tuple[StreamReader, StreamWriter]:
        """Connect, if not done already."""
        if self._streams is None:
            self._streams = await open_connection("127.0.0.1", self._port)
        return self._streams

    async def get(self) -> bytes:
        """The body of a success."""
        reader, writer = await self.open()
        writer.write(self._request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith((b"http/1.1 200", b"http/1.0 200")):
            raise ConnectionError(f"the server answered {head!r}")
        body = await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
        if not self._keep or b"connection: close" in head or head.startswith(b"http/1.0"):
            await self.close()
        return body

    async def close(self) -> None:
        """Hang up, if not done already."""
        if self._streams is not None:
            writer, self._streams = self._streams[1], None
            writer.close()
            await writer.wait_closed()


class Generator:
    """A run that makes all calls and records the latency of each, in seconds."""

    def __init__(self, loop: AbstractEventLoop, connections: tuple[Connection, ...], calls: Calls) -> None:
        self.recorded: tuple[float, ...] = ()
        self._loop, self._connections, self._calls = loop, connections, calls

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self.made())

    async def connected(self) -> None:
        """Open the connections beforehand, where runs do not begin with new ones."""
        if self._calls.keep and not self._calls.fresh:
            await gather(*(connection.open() for connection in self._connections))

    async def made(self) -> Outcome:
        """Make all calls on the loop that runs; the bodies."""
        if self._calls.fresh:
            for connection in self._connections:
                await connection.close()
        numbers, latencies, bodies = iter(range(self._calls.count)), list[float](), list[bytes]()
        begin = perf_counter()

        async def one(connection: Connection) -> None:
            for number in numbers:
                start = await self._due(begin, number)
                bodies.append(await connection.get())
                latencies.append(perf_counter() - start)

        await gather(*(one(connection) for connection in self._connections))
        self.recorded = tuple(latencies)
        return tuple(body.decode("utf-8") for body in bodies)

    async def _due(self, begin: float, number: int) -> float:
        """Wait until a request is due; the time from which its latency counts."""
        if not self._calls.rate:
            return perf_counter()
        due = begin + number / self._calls.rate
        if (wait := due - perf_counter()) > 0:
            await sleep(wait)
        return due


@contextmanager
def generator(loop: AbstractEventLoop, port: int, calls: Calls) -> Iterator[Generator]:
    """A generator whose connections, where the server keeps them, are open after the first run."""
    connections = tuple(Connection(port, calls) for _ in range(calls.connections))
    try:
        yield Generator(loop, connections, calls)
    finally:
        for connection in connections:
            loop.run_until_complete(connection.close())

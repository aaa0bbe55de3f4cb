"""A load generator for HTTP: a number of connections, on each of which one request follows the answer to the last.

Without a rate it is a closed loop: it stops asking while the server stalls, so its latencies are those of the requests
that were made, not of users who would have come meanwhile. With a rate, requests are due at fixed times, and latencies
count from then, also when no connection was free.
"""

from asyncio import AbstractEventLoop, StreamReader, StreamWriter, gather, open_connection, sleep
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

from windtunnel_scenarios.model import Outcome

Connect: TypeAlias = Callable[[str, int], Awaitable[tuple[StreamReader, StreamWriter]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The requests of one run."""

    path: str
    count: int
    connections: int
    keep_alive: bool = True
    """Whether a connection outlives its request."""
    rate: float = 0.0
    """How many requests are due in a second; 0: as soon as a connection is free."""
    reconnect: bool = False
    """Whether each run begins with new connections."""


class Connection:
    """One connection to a server on this machine; opened when first used, and again after the server closed it."""

    def __init__(self, port: int, path: str, *, keep_alive: bool = True, connect: Connect = open_connection) -> None:
        self._port, self._keep_alive, self._connect = port, keep_alive, connect
        header = "keep-alive" if keep_alive else "close"
        self._request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: {header}\r\n\r\n".encode("ascii")
        self._streams: tuple[StreamReader, StreamWriter] | None = None

    async def open(self) -> tuple[StreamReader, StreamWriter]:
        """Connect, unless connected."""
        if self._streams is None:
            self._streams = await self._connect("127.0.0.1", self._port)
        return self._streams

    async def get(self) -> bytes:
        """Make the request and return the body; raises ConnectionError when the status is not 200."""
        reader, writer = await self.open()
        writer.write(self._request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith((b"http/1.1 200", b"http/1.0 200")):
            raise ConnectionError(f"the server answered {head!r}")
        body = await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
        if not self._keep_alive or b"connection: close" in head or head.startswith(b"http/1.0"):
            await self.close()
        return body

    async def close(self) -> None:
        """Close the connection, unless closed."""
        if self._streams is not None:
            writer, self._streams = self._streams[1], None
            writer.close()
            await writer.wait_closed()


class LoadGenerator:
    """A run that makes all requests and records the ``latency`` of each, in seconds."""

    def __init__(self, loop: AbstractEventLoop, connections: tuple[Connection, ...], requests: Requests) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._loop, self._connections, self._requests = loop, connections, requests

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self.make_requests())

    async def connect(self) -> None:
        """Open the connections before the first run, unless runs begin with new ones."""
        if self._requests.keep_alive and not self._requests.reconnect:
            await gather(*(connection.open() for connection in self._connections))

    async def make_requests(self) -> Outcome:
        """Make all requests on the running loop; return the bodies."""
        if self._requests.reconnect:
            for connection in self._connections:
                await connection.close()
        numbers, latencies, bodies = iter(range(self._requests.count)), list[float](), list[bytes]()
        begin = perf_counter()

        async def use(connection: Connection) -> None:
            for number in numbers:
                start = await self._wait_until_due(begin, number)
                bodies.append(await connection.get())
                latencies.append(perf_counter() - start)

        await gather(*(use(connection) for connection in self._connections))
        self.recorded = {"latency": tuple(latencies)}
        return tuple(body.decode("utf-8") for body in bodies)

    async def _wait_until_due(self, begin: float, number: int) -> float:
        """Wait until a request is due; return the time from which its latency counts."""
        if not self._requests.rate:
            return perf_counter()
        due = begin + number / self._requests.rate
        if (wait := due - perf_counter()) > 0:
            await sleep(wait)
        return due


@contextmanager
def load_generator(
    loop: AbstractEventLoop, port: int, requests: Requests, connect: Connect = open_connection
) -> Iterator[LoadGenerator]:
    """Create a load generator, and close its connections at the end."""
    connections = tuple(
        Connection(port, requests.path, keep_alive=requests.keep_alive, connect=connect)
        for _ in range(requests.connections)
    )
    try:
        yield LoadGenerator(loop, connections, requests)
    finally:
        for connection in connections:
            loop.run_until_complete(connection.close())

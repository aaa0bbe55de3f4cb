"""A load generator for HTTP: a number of connections, on each of which one request follows the answer to the last.

Without a rate it is a closed loop that does what hey does (version 0.1.4, ``requester/requester.go``):

- each of C workers makes N // C requests of its own, and a remainder is not made (``runWorkers``);
- a worker connects when it begins, and sends as soon as its own connection is up (``runWorker``);
- a latency begins before the connecting and ends with the body's last byte (``makeRequest``);
- a connection is kept, unless ``keep_alive`` is false (``-disable-keepalive``), and replaced when the server closed it.

A closed loop stops asking while the server stalls, so its latencies are those of the requests that were made, not of
users who would have come meanwhile. With a rate, requests are due at fixed times, and latencies count from then, also
when no connection was free.
"""

import socket
from asyncio import AbstractEventLoop, StreamReader, StreamWriter, gather, get_running_loop, open_connection, sleep
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from time import perf_counter
from typing import TypeAlias

from windtunnel_scenarios.model import Outcome

Streams: TypeAlias = tuple[StreamReader, StreamWriter]

Connect: TypeAlias = Callable[[int, bytes], Awaitable[Streams]]
"""Connects to a port of this machine and sends the first bytes."""


async def connect_and_send(port: int, first: bytes) -> Streams:
    """Connect, and send the first bytes as soon as the connection is up: before there are streams for it."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.settimeout(0)
        await get_running_loop().sock_connect(opened, ("127.0.0.1", port))
        await get_running_loop().sock_sendall(opened, first)
        return await open_connection(sock=opened)
    except BaseException:
        opened.close()
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The requests of one run."""

    path: str
    count: int
    """How many requests. Without a rate, what does not divide among the connections is not made."""
    connections: int
    keep_alive: bool = True
    """Whether a connection outlives its request."""
    rate: float = 0.0
    """How many requests are due in a second; 0: as soon as a connection is free."""
    reconnect: bool = False
    """Whether each run opens connections and closes them at its end."""


class Connection:
    """One connection to a server on this machine; opened when first used, and again after the server closed it."""

    def __init__(self, port: int, path: str, *, keep_alive: bool = True, connect: Connect = connect_and_send) -> None:
        self._port, self._keep_alive, self._connect = port, keep_alive, connect
        self._request = self._bytes_of(path)
        self._streams: Streams | None = None

    def _bytes_of(self, path: str) -> bytes:
        header = "keep-alive" if self._keep_alive else "close"
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: {header}\r\n\r\n".encode("ascii")

    async def get(self, path: str = "") -> bytes:
        """Make the request, or one for another path; return the body.

        Raises ConnectionError when the status is not 200.
        """
        request = self._bytes_of(path) if path else self._request
        if self._streams is not None and self._streams[0].at_eof():
            await self.close()
        if self._streams is None:
            self._streams = await self._connect(self._port, request)
        else:
            self._streams[1].write(request)
        reader = self._streams[0]
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
    """A run that makes all requests.

    It records the ``latency`` of each in seconds, by connection and in the order of its requests.
    """

    def __init__(self, loop: AbstractEventLoop, connections: tuple[Connection, ...], requests: Requests) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._loop, self._connections, self._requests = loop, connections, requests

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self.make_requests())

    async def connect(self, path: str) -> None:
        """Open the connections before the first run, unless runs begin with new ones, and make a request on each.

        A server that has answered has accepted them: until then they wait in its backlog.
        """
        if self._requests.keep_alive and not self._requests.reconnect:
            await gather(*(connection.get(path) for connection in self._connections))

    async def make_requests(self) -> Outcome:
        """Make all requests on the running loop; return the bodies."""
        await sleep(0)  # the loop sees which connections the server has closed between two runs
        await sleep(0)
        answers = await gather(*map(make_in_turn, self._connections, self._due_times()))
        if self._requests.reconnect:
            for connection in self._connections:
                await connection.close()
        self.recorded = {"latency": tuple(latency for answered in answers for latency, _ in answered)}
        return tuple(body.decode("utf-8") for answered in answers for _, body in answered)

    def _due_times(self) -> Iterable[Iterable[float | None]]:
        """Return the times at which each connection's requests are due; None is as soon as it is free.

        With a rate all connections share the times: a request goes to the connection that is free first.
        """
        if self._requests.rate:
            begin = perf_counter()
            return repeat(begin + number / self._requests.rate for number in range(self._requests.count))
        return repeat((None,) * (self._requests.count // self._requests.connections))


async def make_in_turn(connection: Connection, due_times: Iterable[float | None]) -> list[tuple[float, bytes]]:
    """Make the requests of one connection; return the latency and the body of each."""
    answers = list[tuple[float, bytes]]()
    for due in due_times:
        start = perf_counter() if due is None else due
        if (wait := start - perf_counter()) > 0:
            await sleep(wait)
        body = await connection.get()
        answers.append((perf_counter() - start, body))
    return answers


@contextmanager
def load_generator(
    loop: AbstractEventLoop, port: int, requests: Requests, connect: Connect = connect_and_send
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

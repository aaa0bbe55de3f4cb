"""A line to a server and back, over and over, on connections that stay open: what a round trip over a socket costs."""

import socket
from asyncio import AbstractEventLoop, StreamReader, StreamWriter, open_connection
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BufferedRWPair
from itertools import repeat

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import Coroutines, gathered, uvloop_factory
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.servers import running_server

CLIENTS = 10

ECHO_SERVER = "windtunnel_scenarios.programs.echo_server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """How many lines each client sends, each after the answer to the last."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many answers each client got."""
        return (self.count,) * CLIENTS


@contextmanager
def threads(load: Lines) -> Iterator[Run]:
    """Use a thread and a blocking socket for each client."""
    with running_server(ECHO_SERVER) as server, warm_threads(CLIENTS) as pool, ExitStack() as stack:
        streams = [stack.enter_context(connect(server.port)) for _ in range(CLIENTS)]

        def run() -> Outcome:
            return tuple(pool.map(talk, streams, repeat(load.count)))

        yield run


@contextmanager
def connect(port: int) -> Iterator[BufferedRWPair]:
    """Open a connection as a file that writes at once."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection.makefile("rwb") as stream:
            yield stream


def talk(stream: BufferedRWPair, count: int) -> int:
    """Send lines, each after the answer to the last; return how many answers came."""
    answers = 0
    for _ in range(count):
        stream.write(b"hello\n")
        stream.flush()
        answers += stream.readline() == b"hello\n"
    return answers


@contextmanager
def asyncio_streams(load: Lines, loop: AbstractEventLoop) -> Iterator[Coroutines]:
    """Use a task and asyncio's streams for each client."""
    opened: list[tuple[StreamReader, StreamWriter]] = []
    with running_server(ECHO_SERVER) as server:
        try:
            for _ in range(CLIENTS):
                streams = loop.run_until_complete(open_connection("127.0.0.1", server.port))
                opened.append(streams)
            yield lambda: (async_talk(*streams, load.count) for streams in opened)
        finally:
            for _, writer in opened:
                writer.close()
                loop.run_until_complete(writer.wait_closed())


async def async_talk(reader: StreamReader, writer: StreamWriter, count: int) -> int:
    """Send lines, each after the answer to the last; return how many answers came."""
    answers = 0
    for _ in range(count):
        writer.write(b"hello\n")
        answers += await reader.readline() == b"hello\n"
    return answers


ECHO = Scenario(
    name="echo",
    loads=Loads(trial=Lines(count=3), quick=Lines(count=100), standard=Lines(count=1_000), article=Lines(count=5_000)),
    variants=(
        Variant(name="threads", technique=threads),
        Variant(name="asyncio_streams", technique=gathered(asyncio_streams)),
        Variant(
            name="uvloop_streams", technique=gathered(asyncio_streams, factory=uvloop_factory), requires=("uvloop",)
        ),
    ),
)

SCENARIOS = (ECHO,)

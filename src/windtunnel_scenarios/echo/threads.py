"""A thread and a blocking socket for each client."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedRWPair
from itertools import repeat

from windtunnel_scenarios.echo import CLIENTS, Lines
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.servers import serving
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Lines) -> Iterator[Run]:
    """The server, the connections and the threads."""
    with serving("windtunnel_scenarios.echo.echo_server") as port, warm_threads(CLIENTS) as pool, ExitStack() as stack:
        streams = [stack.enter_context(connected(port)) for _ in range(CLIENTS)]

        def run() -> Outcome:
            return tuple(pool.map(talk, streams, repeat(load.count)))

        yield run


@contextmanager
def connected(port: int) -> Iterator[BufferedRWPair]:
    """A connection as a file that writes at once."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection.makefile("rwb") as stream:
            yield stream


def talk(stream: BufferedRWPair, count: int) -> int:
    """Send lines, each after the answer to the last; how many answers came."""
    answers = 0
    for _ in range(count):
        stream.write(b"hello\n")
        stream.flush()
        answers += stream.readline() == b"hello\n"
    return answers

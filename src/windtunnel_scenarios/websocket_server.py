"""Messages to a WebSocket server and back on a hundred connections, while a thousand others are open and silent."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from selectors import EVENT_READ, DefaultSelector
from socket import IPPROTO_TCP, MSG_WAITALL, TCP_NODELAY, create_connection, socket

from windtunnel_scenarios.model import Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.open_files import allow_open_files
from windtunnel_scenarios.support.procfs import check_memory_readable, pss
from windtunnel_scenarios.support.servers import ServedRun, running_server

MESSAGE = b"one hundred bytes in each message".ljust(100, b".")

FRAME = bytes((0x82, 0x80 | len(MESSAGE), 0, 0, 0, 0)) + MESSAGE
"""A binary message of a client (RFC 6455, section 5.2). Its mask is zero, so masking changes nothing."""

ANSWER = bytes((0x82, len(MESSAGE))) + MESSAGE
"""The same message of a server, which does not mask."""

HANDSHAKE = (
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    f"Sec-WebSocket-Key: {b64encode(bytes(16)).decode('ascii')}\r\nSec-WebSocket-Version: 13\r\n\r\n"
).encode("ascii")
"""It offers no compression."""

TIMEOUT = 60.0
"""Seconds after which a server that does not answer is an error."""

AT_ONCE = 20
"""Handshakes under way at once, at most: servers give each ten seconds."""

MARGIN = 200
"""Open files that a process needs for other things than connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """How many connections are silent, how many send messages, and how many each."""

    idle: int
    busy: int
    messages: int

    @property
    def outcome(self) -> Outcome:
        """The answer to each message."""
        return (ANSWER,) * (self.busy * self.messages)


class BusyConnections:
    """A run in which each connection sends messages, each after the answer to the last.

    It records ``peak_growth``, by how many bytes the server has grown for the idle connections.
    """

    def __init__(self, connections: tuple[socket, ...], messages: int, growth: int) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {"peak_growth": (float(growth),)}
        self._connections, self._messages = connections, messages

    def __call__(self) -> Outcome:
        answers = list[bytes]()
        left = dict.fromkeys(self._connections, self._messages - 1)
        with DefaultSelector() as selector:
            for connection in self._connections:
                selector.register(connection, EVENT_READ, connection)
                connection.sendall(FRAME)
            while len(answers) < len(left) * self._messages:
                ready = selector.select(TIMEOUT)
                if not ready:
                    raise TimeoutError(f"the WebSocket server has not answered for {TIMEOUT:.0f} s")
                for key, _ in ready:
                    opened: socket = key.data
                    answers.append(receive(opened))
                    if left[opened]:
                        left[opened] -= 1
                        opened.sendall(FRAME)
        return tuple(answers)


@contextmanager
def serve(load: Connections, program: Sequence[str]) -> Iterator[ServedRun]:
    """Run the server, and open the busy connections, then the idle ones. Each has got an answer before the clock."""
    check_memory_readable()
    with (
        allow_open_files(load.idle + load.busy + MARGIN),
        ExitStack() as stack,  # connections close after the server has ended, so that it reports no lost connection
        separate_processors(running_server(f"windtunnel_scenarios.programs.{program[0]}", *program[1:])) as server,
    ):
        busy = stack.enter_context(connect(server.port, load.busy))
        before = pss(server.process_group)
        stack.enter_context(connect(server.port, load.idle))
        growth = max(pss(server.process_group) - before, 0)
        yield ServedRun(BusyConnections(busy, load.messages, growth), server)


@contextmanager
def connect(port: int, count: int) -> Iterator[tuple[socket, ...]]:
    """Open connections, a few at a time, and get the answer to a first message on each."""
    with ExitStack() as stack:
        opened = list[socket]()
        while len(opened) < count:
            several = [
                stack.enter_context(create_connection(("127.0.0.1", port), TIMEOUT))
                for _ in range(min(AT_ONCE, count - len(opened)))
            ]
            for connection in several:
                connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
                connection.sendall(HANDSHAKE)
            for connection in several:
                receive_handshake(connection)
                connection.settimeout(None)  # only a blocking socket can wait for a whole answer
                connection.sendall(FRAME)
            for connection in several:
                receive(connection)
            opened += several
        yield tuple(opened)


def receive_handshake(connection: socket) -> None:
    """Receive the answer to the handshake; raises ConnectionError when the server does not accept it."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = connection.recv(4096)
        head += part
        if not part or not head.startswith(b"HTTP/1.1 101"[: len(head)]):
            raise ConnectionError(f"the WebSocket server answered {head!r}")


def receive(connection: socket) -> bytes:
    """Receive the answer to a message; raises ConnectionError when it is another one."""
    answer = connection.recv(len(ANSWER), MSG_WAITALL)
    if answer != ANSWER:
        raise ConnectionError(f"the WebSocket server answered {answer!r}")
    return answer


def variant(kind: str, *requires: str) -> Variant[Connections]:
    """A variant with a kind of server."""
    return Variant(name=kind, technique=partial(serve, program=("websocket_server", kind)), requires=requires)


def asgi_variant(server: str, loop: str, *requires: str) -> Variant[Connections]:
    """A variant with an application for ASGI behind a server."""
    return Variant(
        name=f"{server}_{loop}", technique=partial(serve, program=("app_server", server, loop)), requires=requires
    )


WEBSOCKET_SERVER = Scenario(
    name="websocket_server",
    loads=Loads(
        trial=Connections(idle=3, busy=2, messages=2),
        quick=Connections(idle=100, busy=10, messages=50),
        standard=Connections(idle=1_000, busy=100, messages=40),
    ),
    variants=(
        variant("websockets_threads", "websockets"),
        variant("websockets_asyncio", "websockets"),
        variant("websockets_uvloop", "websockets", "uvloop"),
        variant("aiohttp", "aiohttp"),
        variant("aiohttp_uvloop", "aiohttp", "uvloop"),
        asgi_variant("uvicorn", "asyncio", "uvicorn", "websockets"),
        asgi_variant("uvicorn", "uvloop", "uvicorn", "websockets", "uvloop"),
        asgi_variant("granian", "uvloop", "granian", "uvloop"),
    ),
)

SCENARIOS = (WEBSOCKET_SERVER,)

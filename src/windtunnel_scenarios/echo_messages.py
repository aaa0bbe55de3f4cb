"""Messages to a server and back on connections that stay open: small and large, with TLS, over few and many of them.

Clients and servers with threads, asyncio or uvloop; the other side always has uvloop, so that it is not the limit.
"""

import asyncio
import socket
import ssl
from asyncio import StreamReader, StreamWriter, gather, open_connection
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import TypeAlias

from windtunnel_scenarios.downloads_far import self_signed_certificate
from windtunnel_scenarios.https_clients import OTHER_DESCRIPTORS, allow_descriptors
from windtunnel_scenarios.model import Outcome, Scenario, Series, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.loops import LoopFactory, event_loop, run_on, uvloop_factory
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.servers import ServedRun, Server, running_server

Streams: TypeAlias = tuple[StreamReader, StreamWriter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """How many messages of how many bytes each connection sends, each after the answer to the last."""

    connections: int
    count: int
    size: int
    tls: bool = False

    @property
    def outcome(self) -> Outcome:
        """How many bytes each connection got back."""
        return (self.count * self.size,) * self.connections


@contextmanager
def echo_server(load: Messages, kind: str) -> Iterator[tuple[Server, ssl.SSLContext | None]]:
    """Run the server on processors of its own; yield it and the context of its clients."""
    allow_descriptors(load.connections + OTHER_DESCRIPTORS)
    with ExitStack() as stack:
        certificate: Path | None = stack.enter_context(self_signed_certificate() if load.tls else nullcontext())
        context = ssl.create_default_context(cafile=certificate) if certificate else None
        files = [str(certificate)] if certificate else []
        program = running_server("windtunnel_scenarios.programs.echo_loop_server", kind, str(load.size), *files)
        yield stack.enter_context(separate_processors(program)), context


@contextmanager
def thread_clients(load: Messages, server_kind: str) -> Iterator[ServedRun]:
    """Use a thread and a blocking socket for each connection."""
    message = b"x" * load.size

    def talk(connection: socket.socket) -> int:
        received = 0
        for _ in range(load.count):
            connection.sendall(message)
            missing = load.size
            while missing:
                missing -= (got := len(connection.recv(missing)))
                if not got:
                    raise ConnectionError("the server closed a connection")
            received += load.size
        return received

    with echo_server(load, server_kind) as (server, context), ExitStack() as stack:

        def connect() -> socket.socket:
            opened = socket.create_connection(("127.0.0.1", server.port))
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return stack.enter_context(context.wrap_socket(opened, server_hostname="127.0.0.1") if context else opened)

        connections = [connect() for _ in range(load.connections)]
        with warm_threads(load.connections) as pool:
            yield ServedRun(lambda: tuple(pool.map(talk, connections)), server)


@contextmanager
def task_clients(load: Messages, server_kind: str, factory: LoopFactory | None) -> Iterator[ServedRun]:
    """Use a task and asyncio's streams for each connection."""
    message = b"x" * load.size

    async def talk(reader: StreamReader, writer: StreamWriter) -> int:
        received = 0
        for _ in range(load.count):
            writer.write(message)
            received += len(await reader.readexactly(load.size))
        return received

    async def talk_all() -> Outcome:
        return tuple(await gather(*(talk(*streams) for streams in opened)))

    async def close(writer: StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()

    opened = list[Streams]()
    with echo_server(load, server_kind) as (server, context), event_loop(factory=factory) as loop:
        try:
            for port in repeat(server.port, load.connections):
                opened.append(loop.run_until_complete(open_connection("127.0.0.1", port, ssl=context)))
            yield ServedRun(run_on(loop, talk_all), server)
        finally:
            for _, writer in opened:
                loop.run_until_complete(asyncio.wait_for(close(writer), 10))


UVLOOP_CLIENT = partial(task_clients, factory=uvloop_factory)

ECHO_MESSAGES = Scenario(
    name="echo_messages",
    loads=Series(
        trial=Messages(connections=2, count=2, size=100, tls=True),
        points={
            f"{name}_{connections}{'_tls' if tls else ''}": Messages(
                connections=connections, count=total // connections, size=size, tls=tls
            )
            for tls in (False, True)
            for connections in (10, 500)
            for name, size, total in (("100_bytes", 100, 10_000), ("64_kib", 2**16, 2_000))
        },
    ),
    variants=(
        Variant(
            name="threads_client",
            technique=partial(thread_clients, server_kind="uvloop"),
            requires=("uvloop",),
            commands=("openssl",),
        ),
        Variant(
            name="asyncio_client",
            technique=partial(task_clients, server_kind="uvloop", factory=None),
            requires=("uvloop",),
            commands=("openssl",),
        ),
        *(
            Variant(
                name="uvloop_both" if kind == "uvloop" else f"{kind}_server",
                technique=partial(UVLOOP_CLIENT, server_kind=kind),
                requires=("uvloop",),
                commands=("openssl",),
            )
            for kind in ("uvloop", "threads", "asyncio")
        ),
    ),
)
"""``uvloop_both`` has uvloop on both sides: what the others are compared with."""

SCENARIOS = (ECHO_MESSAGES,)

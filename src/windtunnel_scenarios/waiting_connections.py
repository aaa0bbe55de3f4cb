"""Connections that only wait, each with a thread or a task: how much memory of the process and of the kernel they take.

Each run is a process of its own, which has had one such connection before. The other ends are in another process.
"""

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Semaphore, Thread

from windtunnel_scenarios.downloads_far import self_signed_certificate
from windtunnel_scenarios.https_clients import OTHER_DESCRIPTORS, allow_descriptors
from windtunnel_scenarios.model import Outcome, RecordingRun, Scenario, Series, Variant
from windtunnel_scenarios.support.loops import LoopFactory, uvloop_factory
from windtunnel_scenarios.support.procfs import kernel_memory, pss
from windtunnel_scenarios.support.servers import running_server
from windtunnel_scenarios.support.subprocess_run import Measured, MeasuredSubprocess, measured_subprocess


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many connections, and whether they have TLS."""

    count: int
    tls: bool

    @property
    def outcome(self) -> Outcome:
        """How many were open at the same time."""
        return (self.count,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The process with the other ends."""

    port: int
    certificate: str
    """The file with its certificate; empty without TLS."""

    def client_context(self) -> ssl.SSLContext | None:
        """Return the context of clients."""
        return ssl.create_default_context(cafile=self.certificate) if self.certificate else None

    def server_context(self) -> ssl.SSLContext | None:
        """Return the context of servers."""
        if not self.certificate:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.certificate)
        return context

    @contextmanager
    def connecting(self, listener: socket.socket, count: int) -> Iterator[None]:
        """Have so many connections opened to a listening socket, until the end of the context."""
        with socket.create_connection(("127.0.0.1", self.port)) as control:
            control.sendall(b"%d %d\n" % (listener.getsockname()[1], count))
            yield


@contextmanager
def client_threads(peer: Peer, count: int) -> Iterator[int]:
    """Open connections one after another, and let a thread wait on each."""
    context = peer.client_context()

    def connect() -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", peer.port))
        return context.wrap_socket(connection, server_hostname="127.0.0.1") if context else connection

    with threads_on((connect for _ in range(count)), count) as waiting:
        yield waiting


@contextmanager
def server_threads(peer: Peer, count: int) -> Iterator[int]:
    """Accept connections one after another, and let a thread wait on each."""
    context = peer.server_context()
    with socket.create_server(("127.0.0.1", 0)) as listener, peer.connecting(listener, count):

        def accept() -> socket.socket:
            connection, _ = listener.accept()
            return context.wrap_socket(connection, server_side=True) if context else connection

        with threads_on((accept for _ in range(count)), count) as waiting:
            yield waiting


@contextmanager
def threads_on(openers: Iterator[Callable[[], socket.socket]], count: int) -> Iterator[int]:
    """Open connections, let a thread wait for a byte of each, and end the threads by shutting the connections down."""
    started, connections, threads = Semaphore(0), list[socket.socket](), list[Thread]()

    def wait(connection: socket.socket) -> None:
        started.release()
        with suppress(OSError):  # the shutdown below may reset the connection, and a traceback would end the measuring
            connection.recv(1)

    try:
        for open_connection in openers:
            connections.append(open_connection())
            threads.append(Thread(target=wait, args=(connections[-1],)))
            threads[-1].start()
        for _ in range(count):
            started.acquire()
        yield sum(thread.is_alive() for thread in threads)
    finally:
        for connection in connections:
            socket.socket.shutdown(connection, socket.SHUT_RDWR)  # of TLS too: nothing is negotiated
        for thread in threads:
            thread.join()
        for connection in connections:
            connection.close()


@contextmanager
def client_tasks(peer: Peer, count: int, factory: LoopFactory | None = None) -> Iterator[int]:
    """Open connections one after another with asyncio's streams, and let a task wait on each."""
    context = peer.client_context()
    with asyncio.Runner(loop_factory=factory) as runner:
        writers, tasks = list[asyncio.StreamWriter](), list[asyncio.Task[bytes]]()

        async def connect() -> None:
            for _ in range(count):
                reader, writer = await asyncio.open_connection("127.0.0.1", peer.port, ssl=context)
                writers.append(writer)
                tasks.append(asyncio.create_task(reader.readline()))
            await asyncio.sleep(0)

        runner.run(connect())
        try:
            yield sum(not task.done() for task in tasks)
        finally:
            runner.run(abort(writers))


@contextmanager
def server_tasks(peer: Peer, count: int, factory: LoopFactory | None = None) -> Iterator[int]:
    """Accept connections with asyncio's streams, and let a task wait on each."""
    context = peer.server_context()
    with (
        asyncio.Runner(loop_factory=factory) as runner,
        socket.create_server(("127.0.0.1", 0), backlog=1024) as listener,
    ):
        writers, tasks = list[asyncio.StreamWriter](), list[asyncio.Task[None]]()

        async def serve() -> asyncio.Server:
            arrived = asyncio.Semaphore(0)

            async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                writers.append(writer)
                task = asyncio.current_task()
                assert task
                tasks.append(task)
                arrived.release()
                await reader.readline()

            server = await asyncio.start_server(wait, sock=listener, ssl=context)
            for _ in range(count):
                await arrived.acquire()
            return server

        with peer.connecting(listener, count):
            server = runner.run(serve())
            try:
                yield sum(not task.done() for task in tasks)
            finally:
                server.close()
                runner.run(abort(writers))


async def abort(writers: list[asyncio.StreamWriter]) -> None:
    """Close connections without a word to the other end, and let the tasks see it."""
    for writer in writers:
        writer.transport.abort()
    await asyncio.sleep(0.01)


UNITS: dict[str, Callable[[Peer, int], AbstractContextManager[int]]] = {
    "client_threads": client_threads,
    "client_asyncio": client_tasks,
    "client_uvloop": partial(client_tasks, factory=uvloop_factory),
    "server_threads": server_threads,
    "server_asyncio": server_tasks,
    "server_uvloop": partial(server_tasks, factory=uvloop_factory),
}
"""The side of the connections whose memory is measured, and what waits there."""


@contextmanager
def measure_connections(kind: str, count: str, port: str, certificate: str = "") -> Iterator[Measured]:
    """In the new process: open one connection to warm up; measure the bytes that all take, here and in the kernel."""
    peer = Peer(port=int(port), certificate=certificate)
    with UNITS[kind](peer, 1):
        pass

    def measured() -> tuple[list[object], int]:
        before, kernel = pss(os.getpid()), kernel_memory()
        with UNITS[kind](peer, int(count)) as waiting:
            return [waiting, kernel_memory() - kernel], max(pss(os.getpid()) - before, 0)

    yield measured


class KernelMemoryRun:
    """A run that also records ``kernel_growth``: by how many bytes the kernel's memory grew, for both ends."""

    def __init__(self, run: MeasuredSubprocess) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._run = run

    def __call__(self) -> Outcome:
        waiting, kernel = self._run()
        assert isinstance(kernel, int)
        self.recorded = {**self._run.recorded, "kernel_growth": (float(max(kernel, 0)),)}
        return (waiting,)


@contextmanager
def technique(load: Waiting, kind: str) -> Iterator[RecordingRun]:
    """Run the process with the other ends, and open connections in a new process for each run."""
    allow_descriptors(load.count + OTHER_DESCRIPTORS)
    role = "accept" if kind.startswith("client") else "connect"
    with ExitStack() as stack:
        certificate: Path | None = stack.enter_context(self_signed_certificate() if load.tls else nullcontext())
        files = [str(certificate)] if certificate else []
        peer = stack.enter_context(running_server("windtunnel_scenarios.programs.connection_peer", role, *files))
        run = stack.enter_context(measured_subprocess(measure_connections, kind, load.count, peer.port, *files))
        yield KernelMemoryRun(run)


WAITING_CONNECTIONS = Scenario(
    name="waiting_connections",
    loads=Series(
        trial=Waiting(count=3, tls=True),
        points={
            f"{kind}_{count}": Waiting(count=count, tls=kind == "tls")
            for kind in ("tcp", "tls")
            for count in (1_000, 4_000)
        },
    ),
    skip_warmup=("trial", "tcp_1000", "tcp_4000", "tls_1000", "tls_4000"),
    variants=tuple(
        Variant(
            name=kind,
            technique=partial(technique, kind=kind),
            requires=("uvloop",) if kind.endswith("uvloop") else (),
            commands=("openssl",),
        )
        for kind in UNITS
    ),
)

SCENARIOS = (WAITING_CONNECTIONS,)

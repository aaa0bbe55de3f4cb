"""gRPC calls of ten callers over one channel: one message, a stream of them, and streams in both directions.

Server and client each use threads or ``grpc.aio``. Messages are bytes, so that nothing is serialised.
"""

from asyncio import gather
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain, repeat
from typing import Any

from windtunnel_scenarios.model import Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.loops import event_loop, opened_on, run_on
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.servers import ServedRun, Server, running_server

CALLERS = 10


class Method(StrEnum):
    """A method of the server, by its kind."""

    UNARY = "unary"
    SERVER_STREAM = "server_stream"
    BOTH_STREAMS = "both_streams"

    @property
    def path(self) -> str:
        """The path of the method."""
        return f"/windtunnel/{self}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """How many messages each caller gets: the answers to as many calls, or the messages of one stream."""

    method: Method
    count: int

    @property
    def message(self) -> bytes:
        """A hundred bytes, which begin with how many messages a stream of the server has."""
        return b"%d " % self.count + bytes(99 - len(str(self.count)))

    @property
    def outcome(self) -> Outcome:
        """The messages that all callers get."""
        return (self.message,) * (CALLERS * self.count)


def grpc_server(kind: str) -> AbstractContextManager[Server]:
    """Run the server, with as many threads as callers where it has threads, on processors of its own."""
    return separate_processors(running_server("windtunnel_scenarios.programs.grpc_server", kind, str(CALLERS)))


@contextmanager
def threads_client(load: Messages, server_kind: str) -> Iterator[ServedRun]:
    """Call from a thread for each caller."""
    import grpc

    with (
        grpc_server(server_kind) as server,
        warm_threads(CALLERS) as pool,
        grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        call = {
            Method.UNARY: partial(unary, channel.unary_unary(load.method.path)),
            Method.SERVER_STREAM: partial(server_stream, channel.unary_stream(load.method.path)),
            Method.BOTH_STREAMS: partial(both_streams, channel.stream_stream(load.method.path)),
        }[load.method]

        def run() -> Outcome:
            return tuple(chain.from_iterable(pool.map(call, repeat(load, CALLERS))))

        yield ServedRun(run, server)


def unary(call: Any, load: Messages) -> list[bytes]:
    """Make one call after the other."""
    return [call(load.message) for _ in range(load.count)]


def server_stream(call: Any, load: Messages) -> list[bytes]:
    """Receive a stream."""
    return list(call(load.message))


def both_streams(call: Any, load: Messages) -> list[bytes]:
    """Send a stream and receive one at the same time."""
    return list(call(repeat(load.message, load.count)))


@contextmanager
def aio_client(load: Messages, server_kind: str) -> Iterator[ServedRun]:
    """Call from a task for each caller."""
    import grpc

    async def create() -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(f"127.0.0.1:{server.port}")

    with (
        grpc_server(server_kind) as server,
        event_loop() as loop,
        opened_on(loop, loop.run_until_complete(create())) as channel,
        ExitStack() as stack,
    ):
        calls = [
            {
                Method.UNARY: partial(async_unary, channel.unary_unary(load.method.path)),
                Method.SERVER_STREAM: partial(async_server_stream, channel.unary_stream(load.method.path)),
                Method.BOTH_STREAMS: partial(async_both_streams, channel.stream_stream(load.method.path)),
            }[load.method]
        ]
        stack.callback(calls.clear)  # grpc.aio's thread ends with the last reference to a channel; the run is kept

        async def job() -> Outcome:
            return tuple(chain.from_iterable(await gather(*(call(load) for call in calls * CALLERS))))

        yield ServedRun(run_on(loop, job), server)


async def async_unary(call: Any, load: Messages) -> list[bytes]:
    """Make one call after the other."""
    return [await call(load.message) for _ in range(load.count)]


async def async_server_stream(call: Any, load: Messages) -> list[bytes]:
    """Receive a stream."""
    return [message async for message in call(load.message)]


async def async_both_streams(call: Any, load: Messages) -> list[bytes]:
    """Send a stream and receive one at the same time."""
    return [message async for message in call(repeat(load.message, load.count))]


VARIANTS = tuple(
    Variant(
        name=f"{server}_server_{client}_client",
        technique=partial(technique, server_kind=server),
        requires=("grpc",),
    )
    for client, technique in (("threads", threads_client), ("aio", aio_client))
    for server in ("threads", "aio")
)


def scenario(method: Method, *, quick: int, standard: int) -> Scenario[Messages]:
    """A scenario with a method, and how many messages each caller gets."""
    return Scenario(
        name=f"grpc_{method}",
        loads=Loads(
            trial=Messages(method=method, count=2),
            quick=Messages(method=method, count=quick),
            standard=Messages(method=method, count=standard),
        ),
        variants=VARIANTS,
    )


SCENARIOS = (
    scenario(Method.UNARY, quick=20, standard=100),
    scenario(Method.SERVER_STREAM, quick=50, standard=250),
    scenario(Method.BOTH_STREAMS, quick=50, standard=250),
)

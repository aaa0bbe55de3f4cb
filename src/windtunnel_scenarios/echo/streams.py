"""A task and asyncio's streams for each client: the variants differ in the loop."""

from asyncio import AbstractEventLoop, StreamReader, StreamWriter, gather, open_connection
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from windtunnel_scenarios.echo import CLIENTS, Lines
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.support.servers import serving

Streams = tuple[StreamReader, StreamWriter]


@contextmanager
def talking(load: Lines, factory: Callable[[], AbstractEventLoop] | None = None) -> Iterator[Run]:
    """The server, a loop, and the connections on it."""
    with serving("windtunnel_scenarios.echo.echo_server") as port, kept_loop(factory=factory) as loop:
        opened: list[Streams] = []
        try:
            for _ in range(CLIENTS):
                opened.append(loop.run_until_complete(open_connection("127.0.0.1", port)))  # noqa: PERF401 - see finally

            async def job() -> Outcome:
                return tuple(await gather(*(talk(*streams, load.count) for streams in opened)))

            yield driven(loop, job)
        finally:
            for _, writer in opened:
                writer.close()
                loop.run_until_complete(writer.wait_closed())


async def talk(reader: StreamReader, writer: StreamWriter, count: int) -> int:
    """Send lines, each after the answer to the last; how many answers came."""
    answers = 0
    for _ in range(count):
        writer.write(b"hello\n")
        answers += await reader.readline() == b"hello\n"
    return answers

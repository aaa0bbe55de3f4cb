"""All programs at once from an event loop: the variants differ in the loop."""

from asyncio import AbstractEventLoop, create_subprocess_exec, gather
from asyncio.subprocess import DEVNULL
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import enumerate as enumerate_threads

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.subprocesses import COMMAND, Programs
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def all_at_once(load: Programs, factory: Callable[[], AbstractEventLoop] | None = None) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return tuple(await gather(*(ended() for _ in range(load.count))))

    with kept_loop(factory=factory) as loop:
        try:
            yield driven(loop, job)
        finally:
            join_waiters()


def join_waiters() -> None:
    """Python 3.11 waits for each program in a thread, which outlives the wait by a moment."""
    for thread in enumerate_threads():
        if thread.name.startswith("asyncio-waitpid-"):
            thread.join()


async def ended() -> int:
    """The exit code of one more program."""
    process = await create_subprocess_exec(COMMAND, stdin=DEVNULL)
    return await process.wait()

"""Starting many programs that end at once: what each way to start a process costs."""

import asyncio
import subprocess
import threading
from asyncio.subprocess import DEVNULL
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import LoopFactory, call, event_loop, run_on, uvloop_factory
from windtunnel_scenarios.support.pools import warm_threads

COMMAND = "true"
"""Does nothing, successfully (POSIX)."""

LIMIT = 16
"""Programs that run at once, where there is a limit: as many as the pool has threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """The exit code of each."""
        return (0,) * self.count


def run_program(_: int) -> int:
    """Start a program, wait for its end, and return its exit code."""
    return subprocess.run([COMMAND], stdin=subprocess.DEVNULL, check=False).returncode


def sync(load: Programs) -> Outcome:
    """Run one program after the other."""
    return tuple(run_program(number) for number in range(load.count))


@contextmanager
def threads(load: Programs) -> Iterator[Run]:
    """Run all programs from a pool of 16 threads."""
    with warm_threads(LIMIT) as pool:

        def run() -> Outcome:
            return tuple(pool.map(run_program, range(load.count)))

        yield run


async def async_run_program() -> int:
    """Start a program, wait for its end, and return its exit code."""
    process = await asyncio.create_subprocess_exec(COMMAND, stdin=DEVNULL)
    return await process.wait()


@contextmanager
def create_subprocess_exec(
    load: Programs, factory: LoopFactory | None = None, *, limit: int | None = None
) -> Iterator[Run]:
    """Run all programs at once from an event loop, or so many at once as ``limit`` says."""

    async def job() -> Outcome:
        semaphore = nullcontext() if limit is None else asyncio.Semaphore(limit)

        async def run_one() -> int:
            async with semaphore:
                return await async_run_program()

        return tuple(await asyncio.gather(*(run_one() for _ in range(load.count))))

    with event_loop(factory=factory) as loop:
        try:
            yield run_on(loop, job)
        finally:
            join_waiting_threads()


def join_waiting_threads() -> None:
    """Python 3.11 waits for each program in a thread, which outlives the wait by a moment."""
    for thread in threading.enumerate():
        if thread.name.startswith("asyncio-waitpid-"):
            thread.join()


SUBPROCESSES = Scenario(
    name="subprocesses",
    loads=Loads(
        trial=Programs(count=3), quick=Programs(count=20), standard=Programs(count=100), article=Programs(count=500)
    ),
    variants=(
        Variant(name="sync", technique=call(sync), commands=(COMMAND,)),
        Variant(name="threads", technique=threads, commands=(COMMAND,)),
        Variant(name="asyncio_exec", technique=create_subprocess_exec, commands=(COMMAND,)),
        Variant(
            name="asyncio_exec_limit_16",
            technique=partial(create_subprocess_exec, limit=LIMIT),
            commands=(COMMAND,),
        ),
        Variant(
            name="uvloop_exec",
            technique=partial(create_subprocess_exec, factory=uvloop_factory),
            commands=(COMMAND,),
            requires=("uvloop",),
        ),
        Variant(
            name="uvloop_exec_limit_16",
            technique=partial(create_subprocess_exec, factory=uvloop_factory, limit=LIMIT),
            commands=(COMMAND,),
            requires=("uvloop",),
        ),
    ),
)

SCENARIOS = (SUBPROCESSES,)

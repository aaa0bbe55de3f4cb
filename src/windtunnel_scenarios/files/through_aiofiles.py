"""All files at once through aiofiles: the variants differ in the pool and in what holds writers back."""

import os
from asyncio import AbstractEventLoop, Semaphore, gather
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import aiofiles

from windtunnel_scenarios.files import WORKERS, Writes
from windtunnel_scenarios.files.targets import targets
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def all_at_once(load: Writes, workers: int = WORKERS, at_once: int = 0) -> Iterator[Run]:
    """The files, a loop, a pool of ``workers`` as its default executor, a semaphore of ``at_once`` (0: none)."""
    with targets(load) as files, warm_threads(workers) as pool, kept_loop(pool) as loop:
        turn = Semaphore(at_once) if at_once else nullcontext()

        async def job() -> Outcome:
            sync = loop if load.durable else None
            return tuple(await gather(*(write(path, files.data, turn, sync) for path in files.paths)))

        yield driven(loop, job)


async def write(path: Path, data: bytes, turn: AbstractAsyncContextManager[Any], sync: AbstractEventLoop | None) -> int:
    """Empty the file and fill it in one call, when it is its turn; bring it to the disk in a thread of ``sync``."""
    async with turn, aiofiles.open(path, "wb") as file:
        written = await file.write(data)
        if sync is not None:
            await file.flush()
            await sync.run_in_executor(None, os.fsync, file.fileno())
        return written

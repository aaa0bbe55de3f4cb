"""All at once with ``asyncio.gather`` over aiofiles, which opens, writes and closes in the loop's thread pool."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiofiles

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.files import WORKERS, Writes
from windtunnel.scenarios.files.targets import targets
from windtunnel.scenarios.loop import driven, kept_loop
from windtunnel.scenarios.threads import warm_threads


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files, a loop, and the pool as its default executor."""
    with targets(load) as files, warm_threads(WORKERS) as pool, kept_loop(pool) as loop:

        async def job() -> Outcome:
            return tuple(await gather(*(write(path, files.data) for path in files.paths)))

        yield driven(loop, job)


async def write(path: Path, data: bytes) -> int:
    """Empty the file and fill it in one call."""
    async with aiofiles.open(path, "wb") as file:
        return await file.write(data)

"""The files given to ``asyncio.gather``, the sums to threads."""

from asyncio import gather, to_thread
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.cpu_sum.sync import total
from windtunnel.scenarios.files import WORKERS, Writes
from windtunnel.scenarios.files.targets import targets
from windtunnel.scenarios.files.through_aiofiles import write
from windtunnel.scenarios.loop import driven, kept_loop
from windtunnel.scenarios.mixed import Mixed
from windtunnel.scenarios.threads import warm_threads


@contextmanager
def prepare(load: Mixed[Writes]) -> Iterator[Run]:
    """The files, a loop and its pool."""
    with targets(load.waits) as files, warm_threads(WORKERS) as pool, kept_loop(pool) as loop:

        async def job() -> Outcome:
            waited = gather(*(write(path, files.data, nullcontext(), None) for path in files.paths))
            summed = gather(*(to_thread(total, load.sums.bound) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield driven(loop, job)

"""The files and the sums given to ``asyncio.gather``; a sum holds everything else up."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from windtunnel_scenarios.cpu_sum.async_sequential import total
from windtunnel_scenarios.files import WORKERS, Writes
from windtunnel_scenarios.files.targets import targets
from windtunnel_scenarios.files.through_aiofiles import write
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Mixed[Writes]) -> Iterator[Run]:
    """The files, a loop and its pool."""
    with targets(load.waits) as files, warm_threads(WORKERS) as pool, kept_loop(pool) as loop:

        async def job() -> Outcome:
            waited = gather(*(write(path, files.data, nullcontext(), None) for path in files.paths))
            summed = gather(*(total(load.sums.bound) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield driven(loop, job)

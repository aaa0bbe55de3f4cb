"""Files written in threads, with ``asyncio.to_thread``."""

from asyncio import gather, to_thread
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.plain import write
from windtunnel_scenarios.files.targets import Targets
from windtunnel_scenarios.loop_lag.heartbeat import beside_heartbeat
from windtunnel_scenarios.model import Outcome, Recording


@contextmanager
def prepare(load: Writes) -> Iterator[Recording]:
    """The files, a loop and its pool."""

    async def writes(files: Targets) -> Outcome:
        return tuple(await gather(*(to_thread(write, path, files.data, load.durable) for path in files.paths)))

    with beside_heartbeat(load, writes) as run:
        yield run

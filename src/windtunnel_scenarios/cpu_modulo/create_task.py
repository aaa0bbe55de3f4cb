"""All jobs made tasks with ``asyncio.create_task``, then awaited one by one."""

from asyncio import create_task
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_modulo import JOBS, Remainders
from windtunnel_scenarios.cpu_modulo.gather import remainders
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        tasks = [create_task(remainders(divisor, load.iterations)) for divisor in JOBS]
        return (sum([await task for task in tasks]),)

    with kept_loop() as loop:
        yield driven(loop, job)

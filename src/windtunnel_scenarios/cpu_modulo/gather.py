"""All jobs given to ``asyncio.gather`` as coroutines that await nothing."""

from asyncio import gather
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from windtunnel_scenarios.cpu_modulo import JOBS, Remainders
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """A loop."""

    async def job() -> Outcome:
        return (sum(await gather(*(remainders(divisor, load.iterations) for divisor in JOBS))),)

    with kept_loop() as loop:
        yield driven(loop, job)


async def remainders(divisor: int, iterations: int) -> int:
    """Add up the remainders of 99 % of the numbers; the generator is this job's own."""
    random = Random(divisor).random
    result = 0
    for number in range(iterations):
        if random() < 0.99:
            result += number % divisor
    return result

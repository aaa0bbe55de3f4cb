"""Coroutines that yield to the loop after every step."""

from asyncio import sleep
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.order import Steps
from windtunnel_scenarios.order.recorder import Turns
from windtunnel_scenarios.support.loops import kept_loop


@contextmanager
def prepare(load: Steps) -> Iterator[Turns]:
    """A loop."""
    with kept_loop() as loop:
        yield Turns(loop, load, unit)


async def unit(steps: int, taken: list[int]) -> int:
    """Take so many steps."""
    for _ in range(steps):
        taken.append(steps)
        await sleep(0)
    return steps

"""Coroutines that never await."""

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
        taken.append(steps)  # noqa: PERF401 - a step at a time is what is watched
    return steps

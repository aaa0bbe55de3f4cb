"""A run that notes whose turn each step was."""

from asyncio import AbstractEventLoop, gather
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

from windtunnel_scenarios.model import Outcome
from windtunnel_scenarios.order import Steps


class Turns:
    """Records how often one coroutine took a step after another did."""

    def __init__(
        self, loop: AbstractEventLoop, load: Steps, unit: Callable[[int, list[int]], Coroutine[Any, Any, int]]
    ) -> None:
        self.recorded: tuple[float, ...] = ()
        self.taken: list[int] = []
        """The number of steps of the coroutine that took each step, which tells the published ones apart."""
        self._loop, self._load, self._unit = loop, load, unit

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self._all())

    async def _all(self) -> Outcome:
        self.taken.clear()
        outcome = tuple(await gather(*(self._unit(steps, self.taken) for steps in self._load.units)))
        self.recorded = (float(sum(one != other for one, other in pairwise(self.taken))),)
        return outcome

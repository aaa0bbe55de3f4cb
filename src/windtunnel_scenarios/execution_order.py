"""Gathered coroutines that each take a number of steps: in which order they take them."""

from asyncio import AbstractEventLoop, gather, sleep
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from windtunnel_scenarios.model import Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.loops import event_loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """How many steps each coroutine takes, as published. Every load is the same: order does not depend on size."""

    steps: tuple[int, ...] = (5, 3, 2)

    @property
    def outcome(self) -> Outcome:
        """How many steps each coroutine took."""
        return self.steps


async def without_await(steps: int, log: list[int]) -> int:
    """Take the steps and never await."""
    for _ in range(steps):
        log.append(steps)  # noqa: PERF401 - one step at a time is what is observed
    return steps


async def sleep_0(steps: int, log: list[int]) -> int:
    """Take the steps and yield to the loop after each."""
    for _ in range(steps):
        log.append(steps)
        await sleep(0)
    return steps


class OrderRun:
    """A run that records ``switches``: how often a step was another coroutine's than the step before."""

    def __init__(
        self, loop: AbstractEventLoop, load: Steps, take_steps: Callable[[int, list[int]], Coroutine[Any, Any, int]]
    ) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self.log: list[int] = []
        """Which coroutine took each step: coroutines are identified by their number of steps."""
        self._loop, self._load, self._take_steps = loop, load, take_steps

    def __call__(self) -> Outcome:
        return self._loop.run_until_complete(self._run())

    async def _run(self) -> Outcome:
        self.log.clear()
        outcome = tuple(await gather(*(self._take_steps(steps, self.log) for steps in self._load.steps)))
        self.recorded = {"switches": (float(sum(one != other for one, other in pairwise(self.log))),)}
        return outcome


@contextmanager
def gathered(load: Steps, take_steps: Callable[[int, list[int]], Coroutine[Any, Any, int]]) -> Iterator[OrderRun]:
    """Pass the coroutines to ``asyncio.gather``."""
    with event_loop() as loop:
        yield OrderRun(loop, load, take_steps)


EXECUTION_ORDER = Scenario(
    name="execution_order",
    loads=Loads(trial=Steps(), quick=Steps(), standard=Steps(), article=Steps()),
    variants=(
        Variant(name="without_await", technique=partial(gathered, take_steps=without_await)),
        Variant(name="sleep_0", technique=partial(gathered, take_steps=sleep_0)),
    ),
)

SCENARIOS = (EXECUTION_ORDER,)

"""Many timers that end at about the same time: what the loop's timers cost."""

from asyncio import gather, sleep
from dataclasses import dataclass

from windtunnel_scenarios.model import Loads, Outcome, Scenario, Variant
from windtunnel_scenarios.support.loops import on_loop, uvloop_factory

PERIOD = 0.001
"""Seconds of each timer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timers:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many ended."""
        return (self.count,)


async def sleeping_tasks(load: Timers) -> Outcome:
    """Use ``asyncio.sleep`` in so many tasks."""
    return (sum(await gather(*(sleep(PERIOD, 1) for _ in range(load.count)))),)


TIMERS = Scenario(
    name="timers",
    loads=Loads(
        trial=Timers(count=10), quick=Timers(count=2_000), standard=Timers(count=10_000), article=Timers(count=100_000)
    ),
    variants=(
        Variant(name="asyncio_sleep", technique=on_loop(sleeping_tasks)),
        Variant(name="uvloop_sleep", technique=on_loop(sleeping_tasks, factory=uvloop_factory), requires=("uvloop",)),
    ),
)

SCENARIOS = (TIMERS,)

"""Doing nothing: what it costs to drive the runs of the other scenarios."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import background_loop, call, on_loop, on_trio


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No work."""

    @property
    def outcome(self) -> Outcome:
        """Nothing."""
        return ()


def do_nothing(load: Nothing) -> Outcome:
    """A function call: what timing costs every variant."""
    return load.outcome


async def do_nothing_async(load: Nothing) -> Outcome:
    """A coroutine on a loop that stays open between runs: what every coroutine variant pays."""
    return load.outcome


def asyncio_run(load: Nothing) -> Outcome:
    """``asyncio.run``, which opens and closes a loop in each run."""
    return asyncio.run(do_nothing_async(load))


@contextmanager
def in_background(load: Nothing) -> Iterator[Run]:
    """A loop in a thread of its own, called from this one: each run switches threads twice."""
    with background_loop() as loop:

        def run() -> Outcome:
            return asyncio.run_coroutine_threadsafe(do_nothing_async(load), loop).result()

        yield run


DRIVER_OVERHEAD = Scenario(
    name="driver_overhead",
    loads=Loads(trial=Nothing(), quick=Nothing(), standard=Nothing()),
    variants=(
        Variant(name="call", technique=call(do_nothing)),
        Variant(name="persistent_loop", technique=on_loop(do_nothing_async)),
        Variant(name="asyncio_run", technique=call(asyncio_run)),
        Variant(name="trio_run", technique=on_trio(do_nothing_async), requires=("trio",)),
        Variant(name="background_loop", technique=in_background),
    ),
)

SCENARIOS = (DRIVER_OVERHEAD,)

"""``loop.run_in_executor`` with the loop's own pool."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.crossing import Crossings
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.support.loops import driven, kept_loop
from windtunnel_scenarios.tasks.call import unit
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Crossings) -> Iterator[Run]:
    """A loop, and a thread as its executor."""
    with warm_threads(1) as pool, kept_loop(pool) as loop:

        async def job() -> Outcome:
            return (sum([await loop.run_in_executor(None, unit, number) for number in range(load.count)]),)

        yield driven(loop, job)

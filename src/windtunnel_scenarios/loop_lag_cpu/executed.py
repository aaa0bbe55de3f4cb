"""The sums handed to a pool, beside a heartbeat."""

from asyncio import AbstractEventLoop
from concurrent.futures import Executor

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.loop_lag.heartbeat import Lag
from windtunnel_scenarios.model import Outcome


def executed(loop: AbstractEventLoop, pool: Executor, load: Sums) -> Lag:
    """One sum after the other, each awaited."""

    async def job() -> Outcome:
        return tuple([await loop.run_in_executor(pool, total, load.bound) for _ in range(load.count)])

    return Lag(loop, job)

"""Computing on several cores, with and without a global interpreter lock: threads, loops in threads, processes."""

from asyncio import AbstractEventLoop, sleep
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import call, event_loop
from windtunnel_scenarios.support.pools import OpenPool, warm_processes, warm_threads
from windtunnel_scenarios.support.worker_functions import check_gil, convert_json, sum_below, sum_modulo

JOBS = 8
"""Of the same size; 1, 2 and 4 workers share them evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """Eight jobs of one kind."""

    job: Callable[[int], int]
    size: int
    answer: int
    """What a job returns."""

    @property
    def outcome(self) -> Outcome:
        """What each job returned."""
        return (self.answer,) * JOBS


def sync(load: Jobs) -> Outcome:
    """Do one job after the other."""
    check_gil()
    return tuple(load.job(load.size) for _ in range(JOBS))


@contextmanager
def pooled(load: Jobs, *, open_pool: OpenPool, workers: int) -> Iterator[Run]:
    """Do the jobs in a pool with so many workers."""
    with open_pool(workers) as pool:
        pool.submit(check_gil).result()
        yield lambda: tuple(pool.map(load.job, [load.size] * JOBS))
        pool.submit(check_gil).result()


@contextmanager
def loops(load: Jobs, *, workers: int) -> Iterator[Run]:
    """Do the jobs in so many threads, each with an event loop; each job is a coroutine that yields at its end."""

    async def jobs() -> list[int]:
        answers = []
        for _ in range(JOBS // workers):
            answers.append(load.job(load.size))
            await sleep(0)
        return answers

    def run_jobs(loop: AbstractEventLoop) -> list[int]:
        return loop.run_until_complete(jobs())

    with warm_threads(workers) as pool, ExitStack() as stack:
        opened = [stack.enter_context(event_loop()) for _ in range(workers)]
        check_gil()
        yield lambda: tuple(answer for answers in pool.map(run_jobs, opened) for answer in answers)
        check_gil()


VARIANTS = (
    Variant(name="sync", technique=call(sync)),
    *(
        Variant(name=f"threads_{workers}", technique=partial(pooled, open_pool=warm_threads, workers=workers))
        for workers in (1, 2, 4)
    ),
    *(Variant(name=f"loops_{workers}", technique=partial(loops, workers=workers)) for workers in (2, 4)),
    Variant(name="processes_4", technique=partial(pooled, open_pool=warm_processes, workers=4)),
)


def sums(bound: int) -> Jobs:
    """Sums of the numbers below a bound."""
    return Jobs(job=sum_below, size=bound, answer=bound * (bound - 1) // 2)


def remainders(bound: int) -> Jobs:
    """Sums of remainders by seven."""
    weeks, days = divmod(bound, 7)
    return Jobs(job=sum_modulo, size=bound, answer=weeks * 21 + days * (days - 1) // 2)


def documents(count: int) -> Jobs:
    """Documents of twenty entries that are written as JSON and read."""
    return Jobs(job=convert_json, size=count, answer=20 * count)


def scenario(name: str, jobs: Callable[[int], Jobs], trial: int, quick: int, standard: int) -> Scenario[Jobs]:
    """Return a scenario with jobs of a kind in three sizes."""
    return Scenario(
        name=name, loads=Loads(trial=jobs(trial), quick=jobs(quick), standard=jobs(standard)), variants=VARIANTS
    )


PARALLEL_SUMS = scenario("parallel_sums", sums, 1_000, 200_000, 2_000_000)
PARALLEL_MODULO = scenario("parallel_modulo", remainders, 1_000, 200_000, 2_000_000)
PARALLEL_JSON = scenario("parallel_json", documents, 5, 500, 5_000)

SCENARIOS = (PARALLEL_SUMS, PARALLEL_MODULO, PARALLEL_JSON)

"""Waiting and computing in one run: how much of the computing overlaps with files, requests or queries.

The waiting is that of another scenario, and the computing is three sums. The variants differ in where the sums run.
"""

from asyncio import Future, gather, get_running_loop, to_thread
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from windtunnel_scenarios import files, http_clients, sqlite_queries
from windtunnel_scenarios.cpu_sum import SUMS, YIELD_EVERY, Sums, async_sum_below, yielding_sum_below
from windtunnel_scenarios.files import MEBIBYTE, Writes
from windtunnel_scenarios.http_clients import Downloads
from windtunnel_scenarios.model import Load, Loads, Outcome, Run, Scenario, Technique, Variant
from windtunnel_scenarios.sqlite_queries import Queries
from windtunnel_scenarios.support.loops import OpenCoroutines, default_executor, event_loop, run_on
from windtunnel_scenarios.support.pools import warm_processes
from windtunnel_scenarios.support.worker_functions import sum_below

W = TypeVar("W", bound=Load)

StartSum: TypeAlias = Callable[[int], "Future[int] | Coroutine[None, None, int]"]
"""Starts the sum of the numbers below a bound, on the running loop."""

OpenSums: TypeAlias = Callable[[], AbstractContextManager[StartSum]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture(Generic[W]):
    """What is waited for, and what is computed."""

    waits: W
    sums: Sums

    @property
    def outcome(self) -> Outcome:
        """The outcome of the waits, then that of the sums."""
        return self.waits.outcome + self.sums.outcome


@contextmanager
def one_after_the_other(load: Mixture[W], waits: Technique[W]) -> Iterator[Run]:
    """Wait for one after the other, then compute."""
    with waits(load.waits) as wait:

        def run() -> Outcome:
            return wait() + tuple(sum_below(load.sums.bound) for _ in range(load.sums.count))

        yield run


@contextmanager
def concurrent(
    load: Mixture[W],
    waits: OpenCoroutines[W],
    sums: OpenSums,
    threads: int,
) -> Iterator[Run]:
    """Pass the waits and the sums to ``asyncio.gather``; the loop's default executor has so many threads."""
    with (
        default_executor(threads) as pool,
        sums() as start_sum,
        event_loop(pool) as loop,
        waits(load.waits, loop) as coroutines,
    ):

        async def job() -> Outcome:
            waited = gather(*coroutines())
            summed = gather(*(start_sum(load.sums.bound) for _ in range(load.sums.count)))
            return *await waited, *await summed

        yield run_on(loop, job)


def sums_on_the_loop() -> AbstractContextManager[StartSum]:
    """Run the sums on the loop's thread; a sum holds everything else up."""
    return nullcontext(async_sum_below)


def sums_that_yield() -> AbstractContextManager[StartSum]:
    """Run the sums on the loop's thread; a sum lets the others run after every 10,000 additions."""
    return nullcontext(partial(yielding_sum_below, every=YIELD_EVERY))


def sums_in_threads() -> AbstractContextManager[StartSum]:
    """Run each sum in a thread of the loop's default executor."""
    return nullcontext(lambda bound: to_thread(sum_below, bound))


@contextmanager
def sums_in_processes() -> Iterator[StartSum]:
    """Run each sum in a process of its own."""
    with warm_processes(SUMS) as processes:
        yield lambda bound: get_running_loop().run_in_executor(processes, sum_below, bound)


PLACES: dict[str, OpenSums] = {
    "gather": sums_on_the_loop,
    "sleep_0": sums_that_yield,
    "to_thread": sums_in_threads,
    "processes": sums_in_processes,
}
"""Where the sums run, by the name of the variant."""


def variants(
    sync: Variant[W], waits: OpenCoroutines[W], requires: tuple[str, ...], *names: str, threads: int = 0
) -> tuple[Variant[Mixture[W]], ...]:
    """Return ``sync`` and the variants named, from the waiting's synchronous variant and its coroutines.

    ``threads`` is the size of the loop's default executor, where the coroutines need one.
    """
    in_turn = partial(one_after_the_other, waits=sync.technique)

    def variant(name: str) -> Variant[Mixture[W]]:
        executor = threads or (SUMS if name == "to_thread" else 0)
        technique = partial(concurrent, waits=waits, sums=PLACES[name], threads=executor)
        return Variant(name=name, technique=technique, requires=requires)

    return (Variant(name="sync", technique=in_turn, requires=sync.requires), *map(variant, names))


def with_sums(waits: W, bound: int) -> Mixture[W]:
    """Add three sums to what is waited for."""
    return Mixture(waits=waits, sums=Sums(count=SUMS, bound=bound))


def with_files(size: int, bound: int) -> Mixture[Writes]:
    """Ten files and three sums."""
    return with_sums(Writes(count=10, size=size), bound)


def with_requests(delay: float, bound: int) -> Mixture[Downloads]:
    """Three requests and three sums."""
    return with_sums(Downloads(count=3, delay=delay), bound)


def with_queries(period: float, bound: int) -> Mixture[Queries]:
    """Three queries and three sums."""
    return with_sums(Queries(periods=(period,) * 3), bound)


FILES_CPU = Scenario(
    name="files_cpu",
    loads=Loads(
        trial=with_files(1000, 1_000),
        quick=with_files(4 * MEBIBYTE, 1_000_000),
        standard=with_files(32 * MEBIBYTE, 10_000_000),
        article=with_files(256 * MEBIBYTE, 10_000_000),
    ),
    variants=variants(
        files.SYNC,
        files.aiofiles_writes,
        ("aiofiles",),
        *("gather", "to_thread", "processes"),
        threads=files.WORKERS,
    ),
)

FILES_CPU_SYNCED = Scenario(
    name="files_cpu_synced",
    loads=Loads(
        trial=with_files(1000, 1_000),
        quick=with_files(4 * MEBIBYTE, 1_000_000),
        standard=with_files(16 * MEBIBYTE, 2_000_000),
    ),
    variants=files.synced(*FILES_CPU.variants),
)

HTTP_VARIANTS = variants(
    http_clients.URLLIB,
    http_clients.aiohttp_session_per_request,
    ("aiohttp",),
    *("gather", "sleep_0", "to_thread", "processes"),
)

SQLITE_VARIANTS = variants(
    sqlite_queries.SYNC,
    sqlite_queries.aiosqlite_queries,
    sqlite_queries.AIOSQLITE,
    *("gather", "to_thread", "processes"),
)


def scenario(
    name: str,
    create: Callable[[float, int], Mixture[W]],
    variants: tuple[Variant[Mixture[W]], ...],
    standard: tuple[float, int],
    article: tuple[float, int],
) -> Scenario[Mixture[W]]:
    """Return a scenario. A load is how long a wait takes, in seconds, and the bound of the sums."""
    loads = Loads(
        trial=create(0.001, 1_000), quick=create(*standard), standard=create(*standard), article=create(*article)
    )
    return Scenario(name=name, loads=loads, variants=variants)


# The percentage is the time of the sums by the time of one wait.
HTTP_CPU_1PCT = scenario("http_cpu_1pct", with_requests, HTTP_VARIANTS, (0.2, 20_000), (1.0, 100_000))
HTTP_CPU_10PCT = scenario("http_cpu_10pct", with_requests, HTTP_VARIANTS, (0.2, 200_000), (1.0, 1_000_000))
HTTP_CPU_100PCT = scenario("http_cpu_100pct", with_requests, HTTP_VARIANTS, (0.2, 2_000_000), (1.0, 10_000_000))
HTTP_CPU_200PCT = scenario("http_cpu_200pct", with_requests, HTTP_VARIANTS, (0.1, 2_000_000), (0.5, 10_000_000))
SQLITE_CPU_1PCT = scenario("sqlite_cpu_1pct", with_queries, SQLITE_VARIANTS, (0.2, 20_000), (1.0, 100_000))
SQLITE_CPU_100PCT = scenario("sqlite_cpu_100pct", with_queries, SQLITE_VARIANTS, (0.2, 2_000_000), (1.0, 10_000_000))

SCENARIOS = (
    FILES_CPU,
    FILES_CPU_SYNCED,
    HTTP_CPU_1PCT,
    HTTP_CPU_10PCT,
    HTTP_CPU_100PCT,
    HTTP_CPU_200PCT,
    SQLITE_CPU_1PCT,
    SQLITE_CPU_100PCT,
)

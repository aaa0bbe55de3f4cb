"""Two sums in a pool of two workers that is kept, or opened for them: from which size on a pool pays.

Each run is a new process, so that the first pool is as slow as in a program.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

from windtunnel_scenarios.model import Outcome, Run, Scenario, Series, Variant
from windtunnel_scenarios.pool_start import POOLS
from windtunnel_scenarios.support.pools import OPENERS, keep_temporary_folder
from windtunnel_scenarios.support.servers import running_server
from windtunnel_scenarios.support.subprocess_run import Measured, measured_subprocess
from windtunnel_scenarios.support.worker_functions import sum_below

JOBS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How many numbers each of the two sums has, and whether another program keeps a processor busy."""

    bound: int
    busy: bool = False

    @property
    def outcome(self) -> Outcome:
        """The sums."""
        return (self.bound * (self.bound - 1) // 2,) * JOBS


def compute(pool: Executor | None, bound: int) -> list[object]:
    """Compute the sums, in the pool if there is one."""
    return list((pool.map if pool else map)(sum_below, [bound] * JOBS))


@contextmanager
def first_job(kind: str, bound: str) -> Iterator[Measured]:
    """In the new process: open a kept pool; the sums are measured, and so is a pool that is opened for them."""
    life, _, pool_kind = kind.partition("_")
    if pool_kind.endswith("forkserver"):
        keep_temporary_folder()
    if life == "kept":
        with OPENERS[pool_kind](JOBS) as pool:
            yield lambda: (compute(pool, int(bound)), 0)
        return

    def measured() -> tuple[list[object], int]:
        with POOLS[pool_kind](JOBS) if pool_kind else nullcontext() as pool:
            return compute(pool, int(bound)), 0

    yield measured


@contextmanager
def technique(load: Work, kind: str) -> Iterator[Run]:
    """Compute in a new process for each run."""
    other = running_server("windtunnel_scenarios.programs.busy_processor") if load.busy else nullcontext()
    with other, measured_subprocess(first_job, kind, load.bound) as run:
        yield run


START_METHODS = ("processes_fork", "processes_forkserver", "processes_spawn")
KINDS = (
    "plain",
    "kept_threads",
    *(f"kept_{kind}" for kind in START_METHODS),
    "opened_threads",
    *(f"opened_{kind}" for kind in START_METHODS),
)

SIZES = {"100k": 100_000, "300k": 300_000, "1m": 1_000_000, "3m": 3_000_000, "10m": 10_000_000, "30m": 30_000_000}
"""Numbers of each sum; an optimised CPython adds about thirty million in a second."""

POINTS = {
    **{name: Work(bound=bound) for name, bound in SIZES.items()},
    **{f"{name}_busy": Work(bound=bound, busy=True) for name, bound in SIZES.items()},
}

POOL_JOBS = Scenario(
    name="pool_jobs",
    loads=Series(trial=Work(bound=1_000), points=POINTS),
    skip_warmup=("trial", *POINTS),
    variants=tuple(Variant(name=kind, technique=partial(technique, kind=kind)) for kind in KINDS),
)

SCENARIOS = (POOL_JOBS,)

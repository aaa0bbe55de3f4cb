"""Opening a pool, using each worker once, and closing it: what a cold start costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.pools import OpenPool, joblib_workers, pool_variants

WORKERS = 3
"""As many as the pools of ``cpu_sum`` have, so that the cost can be compared with the time that a pool saves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many workers there were."""
        return (self.count,)


@contextmanager
def pooled(load: Workers, open_pool: OpenPool) -> Iterator[Run]:
    """Open and close a pool in each run. The warm-up run has started the fork server."""

    def run() -> Outcome:
        with open_pool(load.count) as pool:
            return (sum(pool.map(int, [1] * load.count)),)

    yield run


@contextmanager
def with_joblib(load: Workers) -> Iterator[Run]:
    """Open and close joblib's processes, which are new interpreters."""
    from joblib import delayed

    def run() -> Outcome:
        with joblib_workers(load.count) as parallel:
            return (sum(parallel(delayed(int)(1) for _ in range(load.count))),)

    yield run


POOL_START = Scenario(
    name="pool_start",
    loads=Loads(
        trial=Workers(count=2),
        quick=Workers(count=WORKERS),
        standard=Workers(count=WORKERS),
        article=Workers(count=WORKERS),
    ),
    variants=(
        *pool_variants(pooled, "threads", "processes_fork", "processes_forkserver", "processes_spawn"),
        Variant(name="joblib", technique=with_joblib, requires=("joblib",)),
        *pool_variants(pooled, "interpreters"),
    ),
)

SCENARIOS = (POOL_START,)

"""Bytes sent to a worker and back: what a call costs by the size of its argument and its result."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from os import getpid

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.pool_start import POOLS
from windtunnel_scenarios.support.parent_watch import watch_process
from windtunnel_scenarios.support.pools import (
    POOL_REQUIRES,
    OpenPool,
    joblib_workers,
    keep_temporary_folder,
    pool_variants,
)
from windtunnel_scenarios.support.subprocess_run import Measured, measured_subprocess
from windtunnel_scenarios.support.worker_functions import return_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Payloads:
    """How many calls, one after the other, and how many bytes go each way."""

    count: int
    size: int

    @property
    def outcome(self) -> Outcome:
        """The sizes of what came back."""
        return (self.size,) * self.count


@contextmanager
def pooled(load: Payloads, open_pool: OpenPool) -> Iterator[Run]:
    """Call one worker of a pool. Threads copy nothing; processes pickle arguments and results."""
    content = b"x" * load.size  # bytes(size) would be pages of zeros that no memory backs
    with open_pool(1) as pool:

        def run() -> Outcome:
            return tuple(len(pool.submit(return_bytes, content).result()) for _ in range(load.count))

        yield run


@contextmanager
def with_joblib(load: Payloads) -> Iterator[Run]:
    """Call a process of joblib's, with a list of one call each. Two workers are the fewest that joblib starts."""
    from joblib import delayed

    content = b"x" * load.size  # bytes(size) would be pages of zeros that no memory backs
    with joblib_workers(2, partial(watch_process, getpid())) as parallel:

        def run() -> Outcome:
            return tuple(len(parallel([delayed(return_bytes)(content)])[0]) for _ in range(load.count))

        yield run


@contextmanager
def first_call(kind: str, size: str) -> Iterator[Measured]:
    """In the new process: prepare the bytes; opening the pool, the call and closing the pool are measured."""
    content = b"x" * int(size)
    if kind == "processes_forkserver":
        keep_temporary_folder()

    def measured() -> tuple[Sequence[object], int]:
        with POOLS[kind](1) as pool:
            return [len(pool.submit(return_bytes, content).result())], 0

    yield measured


def cold(load: Payloads, kind: str) -> AbstractContextManager[Run]:
    """Make one call with a new pool in a new process for each run."""
    return measured_subprocess(first_call, kind, load.size)


VARIANTS = (
    *pool_variants(pooled, "threads", "processes_fork", "processes_spawn"),
    Variant(name="joblib", technique=with_joblib, requires=("joblib",)),
    *pool_variants(pooled, "interpreters"),
)

COLD_VARIANTS = tuple(
    Variant(name=kind, technique=partial(cold, kind=kind), requires=POOL_REQUIRES.get(kind, ()))
    for kind in ("threads", "processes_fork", "processes_forkserver", "processes_spawn", "interpreters")
)

PAYLOAD = Scenario(
    name="payload",
    loads=Loads(
        trial=Payloads(count=3, size=1_000),
        quick=Payloads(count=100, size=1_000),
        standard=Payloads(count=1_000, size=1_000),
        article=Payloads(count=10_000, size=1_000),
    ),
    variants=VARIANTS,
)

PAYLOAD_LARGE = Scenario(
    name="payload_large",
    loads=Loads(
        trial=Payloads(count=2, size=100_000),
        quick=Payloads(count=5, size=1_000_000),
        standard=Payloads(count=10, size=10_000_000),
        article=Payloads(count=10, size=100_000_000),
    ),
    variants=VARIANTS,
)

PAYLOAD_MEDIUM = Scenario(
    name="payload_medium",
    loads=Loads(
        trial=Payloads(count=2, size=10_000),
        quick=Payloads(count=20, size=100_000),
        standard=Payloads(count=200, size=100_000),
    ),
    variants=pool_variants(pooled, "threads", "processes_fork", "processes_spawn", "interpreters"),
)

PAYLOAD_COLD = Scenario(
    name="payload_cold",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=Payloads(count=1, size=1_000), quick=Payloads(count=1, size=1_000), standard=Payloads(count=1, size=1_000)
    ),
    variants=COLD_VARIANTS,
)

PAYLOAD_COLD_LARGE = Scenario(
    name="payload_cold_large",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=Payloads(count=1, size=10_000),
        quick=Payloads(count=1, size=1_000_000),
        standard=Payloads(count=1, size=10_000_000),
    ),
    variants=COLD_VARIANTS,
)

SCENARIOS = (PAYLOAD, PAYLOAD_LARGE, PAYLOAD_MEDIUM, PAYLOAD_COLD, PAYLOAD_COLD_LARGE)

"""Bytes sent to a worker and back: what a call costs by the size of its argument and its result."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.pools import OpenPool, joblib_workers, pool_variants
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
    content = bytes(load.size)
    with open_pool(1) as pool:

        def run() -> Outcome:
            return tuple(len(pool.submit(return_bytes, content).result()) for _ in range(load.count))

        yield run


@contextmanager
def with_joblib(load: Payloads) -> Iterator[Run]:
    """Call a process of joblib's, with a list of one call each. Two workers are the fewest that joblib starts."""
    from joblib import delayed

    content = bytes(load.size)
    with joblib_workers(2) as parallel:

        def run() -> Outcome:
            return tuple(len(parallel([delayed(return_bytes)(content)])[0]) for _ in range(load.count))

        yield run


VARIANTS = (
    *pool_variants(pooled, "threads", "processes_fork", "processes_spawn"),
    Variant(name="joblib", technique=with_joblib, requires=("joblib",)),
    *pool_variants(pooled, "interpreters"),
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

SCENARIOS = (PAYLOAD, PAYLOAD_LARGE)

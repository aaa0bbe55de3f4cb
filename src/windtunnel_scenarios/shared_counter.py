"""Four workers that count under a lock, each with a counter of its own or all with one: what sharing costs threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import call
from windtunnel_scenarios.support.pools import warm_threads

WORKERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How far each worker counts."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """What all workers have counted together."""
        return (self.count * WORKERS,)


class Counter:
    """A number that a lock protects."""

    def __init__(self) -> None:
        self.value = 0
        self._lock = Lock()

    def count(self, times: int) -> None:
        """Count one at a time."""
        for _ in range(times):
            with self._lock:
                self.value += 1


def count_alone(times: int) -> int:
    """Count with a counter of this call's own. Without a GIL an object is slower in threads that did not create it."""
    counter = Counter()
    counter.count(times)
    return counter.value


def sync(load: Counts) -> Outcome:
    """Count in one thread, with a counter for each worker."""
    return (sum(count_alone(load.count) for _ in range(WORKERS)),)


@contextmanager
def threads_own(load: Counts) -> Iterator[Run]:
    """Count in threads, with a counter each."""
    with warm_threads(WORKERS) as pool:
        yield lambda: (sum(pool.map(count_alone, [load.count] * WORKERS)),)


@contextmanager
def threads_shared(load: Counts) -> Iterator[Run]:
    """Count in threads, with one counter for all."""
    with warm_threads(WORKERS) as pool:

        def run() -> Outcome:
            counter = Counter()
            for future in [pool.submit(counter.count, load.count) for _ in range(WORKERS)]:
                future.result()
            return (counter.value,)

        yield run


SHARED_COUNTER = Scenario(
    name="shared_counter",
    loads=Loads(
        trial=Counts(count=100),
        quick=Counts(count=20_000),
        standard=Counts(count=200_000),
        article=Counts(count=2_000_000),
    ),
    variants=(
        Variant(name="sync", technique=call(sync)),
        Variant(name="threads_own", technique=threads_own),
        Variant(name="threads_shared", technique=threads_shared),
    ),
)

SCENARIOS = (SHARED_COUNTER,)

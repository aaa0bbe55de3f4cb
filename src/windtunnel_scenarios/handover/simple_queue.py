"""A ``queue.SimpleQueue``, which has no limit, between two threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue

from windtunnel_scenarios.handover import Items
from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.threads import warm_threads


@contextmanager
def prepare(load: Items) -> Iterator[Run]:
    """Two threads."""
    with warm_threads(2) as pool:

        def run() -> Outcome:
            queue: SimpleQueue[int] = SimpleQueue()
            producer = pool.submit(produce, queue, load.count)
            total = pool.submit(consume, queue, load.count)
            producer.result()
            return (total.result(),)

        yield run


def produce(queue: SimpleQueue[int], count: int) -> None:
    """Put the numbers below ``count``."""
    for number in range(count):
        queue.put(number)


def consume(queue: SimpleQueue[int], count: int) -> int:
    """Add up ``count`` items."""
    total = 0
    for _ in range(count):
        total += queue.get()
    return total

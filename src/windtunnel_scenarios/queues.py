"""A producer that passes items to a consumer, one at a time: what queues cost."""

import asyncio
import queue
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import on_loop, on_trio
from windtunnel_scenarios.support.pools import warm_threads

T = TypeVar("T")

ThreadQueue = queue.Queue[int] | queue.SimpleQueue[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """The sum of the items, as the consumer computes it."""
        return (sum(range(self.count)),)


async def asyncio_queue(load: Items) -> Outcome:
    """Use an ``asyncio.Queue`` of one place between two tasks."""
    items: asyncio.Queue[int] = asyncio.Queue(maxsize=1)
    async with asyncio.TaskGroup() as group:
        group.create_task(async_produce(items.put, range(load.count)))
        total = await async_consume(items.get, load.count)
    return (total,)


async def anyio_stream(load: Items) -> Outcome:
    """Use a memory object stream of anyio, with a buffer of one, between two tasks."""
    from anyio import create_memory_object_stream, create_task_group

    send, receive = create_memory_object_stream[int](1)
    async with send, receive, create_task_group() as group:
        group.start_soon(async_produce, send.send, range(load.count))
        total = await async_consume(receive.receive, load.count)
    return (total,)


async def trio_channel(load: Items) -> Outcome:
    """Use a memory channel of trio, with a buffer of one, between two tasks."""
    from trio import open_memory_channel, open_nursery

    send, receive = open_memory_channel[int](1)
    async with send, receive, open_nursery() as group:
        group.start_soon(async_produce, send.send, range(load.count))
        total = await async_consume(receive.receive, load.count)
    return (total,)


async def async_produce(put: Callable[[T], Awaitable[None]], items: Iterable[T]) -> None:
    """Put one item after the other."""
    for item in items:
        await put(item)


async def async_consume(get: Callable[[], Awaitable[int]], count: int) -> int:
    """Add up ``count`` items."""
    total = 0
    for _ in range(count):
        total += await get()
    return total


@contextmanager
def between_threads(load: Items, create_queue: Callable[[], ThreadQueue]) -> Iterator[Run]:
    """Use a queue between two threads."""
    with warm_threads(2) as pool:

        def run() -> Outcome:
            items = create_queue()
            producer = pool.submit(produce, items.put, range(load.count))
            total = pool.submit(consume, items, load.count)
            producer.result()
            return (total.result(),)

        yield run


def produce(put: Callable[[T], None], items: Iterable[T]) -> None:
    """Put one item after the other."""
    for item in items:
        put(item)


def consume(items: ThreadQueue, count: int) -> int:
    """Add up ``count`` items."""
    total = 0
    for _ in range(count):
        total += items.get()
    return total


QUEUE = Scenario(
    name="queue",
    loads=Loads(
        trial=Items(count=10), quick=Items(count=1_000), standard=Items(count=20_000), article=Items(count=100_000)
    ),
    variants=(
        Variant(name="asyncio_queue", technique=on_loop(asyncio_queue)),
        Variant(name="anyio_asyncio", technique=on_loop(anyio_stream), requires=("anyio",)),
        Variant(name="anyio_trio", technique=on_trio(anyio_stream), requires=("anyio", "trio")),
        Variant(name="trio", technique=on_trio(trio_channel), requires=("trio",)),
        Variant(name="queue", technique=partial(between_threads, create_queue=partial(queue.Queue, maxsize=1))),
        Variant(name="simple_queue", technique=partial(between_threads, create_queue=queue.SimpleQueue)),  # no limit
    ),
)

SCENARIOS = (QUEUE,)

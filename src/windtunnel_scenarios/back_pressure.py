"""A fast producer and a slow consumer: how long messages wait between them, and how much memory they take there."""

import asyncio
import queue
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf
from typing import TypeAlias

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Technique, Variant
from windtunnel_scenarios.queues import async_produce, produce
from windtunnel_scenarios.support.loops import call, on_loop, on_trio
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.recording import recording
from windtunnel_scenarios.support.subprocess_run import Measured, measure_peak, measured_subprocess

SIZE = 20_000
"""Bytes of a message."""

LIMIT = 100
"""Messages that a bounded queue holds."""

BATCH = 40
"""Messages that the consumer takes before it waits. No divisor of the limit: few messages would decide the rank."""

WAIT = 0.004
"""Seconds that the consumer waits for each batch; several times the millisecond to which loops round their timers."""

Message: TypeAlias = tuple[float, bytes]
"""When it was created, and its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """How many."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many messages were taken, and how many bytes."""
        return self.count, self.count * SIZE


def messages(load: Messages) -> Iterator[Message]:
    """Create the messages one by one, as fast as they are put somewhere."""
    for number in range(load.count):
        yield time.perf_counter(), bytes((number % 256,)) * SIZE


class Consumer:
    """Takes messages, and keeps how long each has waited."""

    def __init__(self) -> None:
        self._waits: list[float] = []
        self._bytes = 0

    def take(self, message: Message) -> bool:
        """Take a message; return whether a batch is complete, for which the consumer waits."""
        created, content = message
        self._waits.append(time.perf_counter() - created)
        self._bytes += len(content)
        return len(self._waits) % BATCH == 0

    def report(self) -> Outcome:
        """Return the 99th percentile of the waits (nearest rank), how many messages there were, and how many bytes."""
        percentile = sorted(self._waits)[ceil(0.99 * len(self._waits)) - 1]
        return percentile, len(self._waits), self._bytes


def sync(load: Messages) -> Outcome:
    """Take each message when it has been created, in one thread and without a queue."""
    consumer = Consumer()
    for message in messages(load):
        if consumer.take(message):
            time.sleep(WAIT)
    return consumer.report()


@contextmanager
def threads(
    load: Messages, create_queue: Callable[[], queue.Queue[Message] | queue.SimpleQueue[Message]]
) -> Iterator[Run]:
    """Use a queue between this thread and another one."""
    with warm_threads(1) as pool:

        def run() -> Outcome:
            items, consumer = create_queue(), Consumer()
            producer = pool.submit(produce, items.put, messages(load))
            for _ in range(load.count):
                if consumer.take(items.get()):
                    time.sleep(WAIT)
            producer.result()
            return consumer.report()

        yield run


async def consume(
    consumer: Consumer,
    get: Callable[[], Awaitable[Message]],
    sleep: Callable[[float], Awaitable[object]],
    count: int,
) -> None:
    """Take so many messages in a task."""
    for _ in range(count):
        if consumer.take(await get()):
            await sleep(WAIT)


async def asyncio_queue(load: Messages, *, limit: int = 0) -> Outcome:
    """Use an ``asyncio.Queue``; 0 removes the limit."""
    items: asyncio.Queue[Message] = asyncio.Queue(limit)
    consumer = Consumer()
    async with asyncio.TaskGroup() as group:
        group.create_task(async_produce(items.put, messages(load)))
        await consume(consumer, items.get, asyncio.sleep, load.count)
    return consumer.report()


async def anyio_stream(load: Messages, *, limit: float = inf) -> Outcome:
    """Use a memory object stream of anyio."""
    from anyio import create_memory_object_stream, create_task_group, sleep

    consumer = Consumer()
    send, receive = create_memory_object_stream[Message](limit)
    async with send, receive, create_task_group() as group:
        group.start_soon(async_produce, send.send, messages(load))
        await consume(consumer, receive.receive, sleep, load.count)
    return consumer.report()


async def trio_channel(load: Messages, *, limit: float = inf) -> Outcome:
    """Use a memory channel of trio."""
    from trio import open_memory_channel, open_nursery, sleep

    consumer = Consumer()
    send, receive = open_memory_channel[Message](limit)
    async with send, receive, open_nursery() as group:
        group.start_soon(async_produce, send.send, messages(load))
        await consume(consumer, receive.receive, sleep, load.count)
    return consumer.report()


def variant(name: str, technique: Technique[Messages], *requires: str) -> Variant[Messages]:
    """A variant that records the 99th percentile of the waits."""
    return Variant(name=name, technique=recording(technique, "wait_p99"), requires=requires)


VARIANTS = (
    variant("sync", call(sync)),
    variant("threads_100", partial(threads, create_queue=partial(queue.Queue, LIMIT))),
    variant("threads_unbounded", partial(threads, create_queue=queue.Queue)),
    variant("threads_simple_queue", partial(threads, create_queue=queue.SimpleQueue)),
    variant("asyncio_100", on_loop(partial(asyncio_queue, limit=LIMIT))),
    variant("asyncio_unbounded", on_loop(asyncio_queue)),
    variant("anyio_asyncio_100", on_loop(partial(anyio_stream, limit=LIMIT)), "anyio"),
    variant("anyio_asyncio_unbounded", on_loop(anyio_stream), "anyio"),
    variant("anyio_trio_100", on_trio(partial(anyio_stream, limit=LIMIT)), "anyio", "trio"),
    variant("anyio_trio_unbounded", on_trio(anyio_stream), "anyio", "trio"),
    variant("trio_100", on_trio(partial(trio_channel, limit=LIMIT)), "trio"),
    variant("trio_unbounded", on_trio(trio_channel), "trio"),
)
"""``_100`` holds so many messages, ``_unbounded`` all; a ``SimpleQueue`` has no limit either."""

LOADS = Loads(trial=Messages(count=60), quick=Messages(count=500), standard=Messages(count=2_000))

BACK_PRESSURE = Scenario(
    name="back_pressure",
    loads=LOADS,
    variants=VARIANTS,
)


@contextmanager
def measure_messages(name: str, count: str) -> Iterator[Measured]:
    """In the new process: pass one message to warm up; measure the memory at the peak of the job."""
    (technique,) = (each.technique for each in VARIANTS if each.name == name)
    with technique(Messages(count=1)) as run:
        run()
    return_free_memory()
    with technique(Messages(count=int(count))) as run:
        yield partial(measure_peak, run)


def return_free_memory() -> None:
    """Return to the system what imports have freed, where the C library can: the messages would hide in it."""
    from ctypes import CDLL

    with suppress(AttributeError):
        CDLL(None).malloc_trim(0)


def in_new_process(load: Messages, name: str) -> AbstractContextManager[Run]:
    """Do the job of a variant in a new process for each run."""
    return measured_subprocess(measure_messages, name, load.count)


BACK_PRESSURE_MEMORY = Scenario(
    name="back_pressure_memory",
    skip_warmup=tuple(LoadName),
    loads=LOADS,
    variants=tuple(
        replace(each, technique=partial(in_new_process, name=each.name))
        for each in VARIANTS
        if not each.name.startswith("anyio_trio")
    ),
)

SCENARIOS = (BACK_PRESSURE, BACK_PRESSURE_MEMORY)

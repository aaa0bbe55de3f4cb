"""Redis: single commands, pipelines of a hundred commands, and messages from a publisher to a subscriber."""

from asyncio import AbstractEventLoop, gather
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from windtunnel_scenarios.model import Load, Loads, Outcome, Run, Scenario, Technique, Variant
from windtunnel_scenarios.support.database_servers import DatabaseServer, database_server, redis_commands
from windtunnel_scenarios.support.loops import Coroutines, event_loop, gathered, opened_on, run_on
from windtunnel_scenarios.support.pools import warm_threads

if TYPE_CHECKING:
    from redis import Redis
    from redis.asyncio import Redis as AsyncRedis
    from redis.client import PubSub

L = TypeVar("L", bound=Load)

PIPELINE = 100
"""Commands of a pipeline."""

CHANNEL = "windtunnel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """How many commands, each after the answer to the last or as one of a pipeline."""

    count: int
    pipeline: int = 1
    """Commands that are sent at once."""

    @property
    def outcome(self) -> Outcome:
        """How many commands were answered."""
        return (self.count,)

    def shares(self, workers: int) -> list[range]:
        """The numbers of the commands, or of the first of each pipeline, of each worker."""
        return [range(worker * self.pipeline, self.count, workers * self.pipeline) for worker in range(workers)]


def ask(client: "Redis", load: Commands, numbers: Iterable[int]) -> int:
    """Set keys; return how many were set."""
    answers = 0
    for number in numbers:
        if load.pipeline == 1:
            answers += client.set(f"key {number}", number) is True
        else:
            pipeline = client.pipeline(transaction=False)
            for each in range(number, number + load.pipeline):
                pipeline.set(f"key {each}", each)
            answers += pipeline.execute().count(True)
    return answers


async def async_ask(client: "AsyncRedis", load: Commands, numbers: Iterable[int]) -> int:
    """Do the same with asyncio."""
    answers = 0
    for number in numbers:
        if load.pipeline == 1:
            answers += await client.set(f"key {number}", number) is True
        else:
            pipeline = client.pipeline(transaction=False)
            for each in range(number, number + load.pipeline):
                pipeline.set(f"key {each}", each)
            answers += (await pipeline.execute()).count(True)
    return answers


@contextmanager
def clients(server: DatabaseServer, count: int) -> "Iterator[list[Redis]]":
    """Open so many clients with a connection each."""
    from redis import Redis

    with ExitStack() as stack:
        opened = [
            stack.enter_context(Redis(host="127.0.0.1", port=server.port, password=server.password))
            for _ in range(count)
        ]
        for client in opened:
            client.ping()
        yield opened


@contextmanager
def async_clients(loop: AbstractEventLoop, server: DatabaseServer, count: int) -> "Iterator[list[AsyncRedis]]":
    """Open so many clients with a connection each on a loop."""
    from redis.asyncio import Redis

    with ExitStack() as stack:
        opened = [
            stack.enter_context(opened_on(loop, Redis(host="127.0.0.1", port=server.port, password=server.password)))
            for _ in range(count)
        ]
        for client in opened:
            loop.run_until_complete(client.execute_command("PING"))  # type: ignore[no-untyped-call]
        yield opened


@contextmanager
def sync(load: Commands) -> Iterator[Run]:
    """Ask on one connection."""
    with database_server(redis_commands) as server, clients(server, 1) as (client,):
        yield lambda: (ask(client, load, *load.shares(1)),)


@contextmanager
def threads(load: Commands, *, workers: int) -> Iterator[Run]:
    """Ask from so many threads, each with a connection."""
    with database_server(redis_commands) as server, clients(server, workers) as opened, warm_threads(workers) as pool:

        def run() -> Outcome:
            return (sum(pool.map(ask, opened, [load] * workers, load.shares(workers))),)

        yield run


@contextmanager
def tasks(load: Commands, loop: AbstractEventLoop, *, workers: int) -> Iterator[Coroutines]:
    """Ask from so many tasks, each with a connection."""
    with database_server(redis_commands) as server, async_clients(loop, server, workers) as opened:

        async def all_workers() -> int:
            asked = map(async_ask, opened, [load] * workers, load.shares(workers))
            return sum(await gather(*asked))

        yield lambda: (all_workers(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """How many messages."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """How many the subscriber got."""
        return (self.count,)


@contextmanager
def subscribed(server: DatabaseServer) -> "Iterator[tuple[Redis, PubSub]]":
    """Open a publisher and a subscriber."""
    with clients(server, 2) as (publisher, subscriber), subscriber.pubsub() as messages:  # type: ignore[no-untyped-call]
        messages.subscribe(CHANNEL)
        messages.get_message(timeout=None)
        yield publisher, messages


def receive(messages: "PubSub", count: int) -> int:
    """Get messages; return how many came.

    There is no limit of time: only asyncio would start and cancel a timer for each message.
    """
    received = 0
    while received < count:
        message = messages.get_message(timeout=None)  # type: ignore[arg-type]  # redis-py documents None
        received += message is not None and message["type"] == "message"
    return received


@contextmanager
def alternately(load: Messages) -> Iterator[Run]:
    """Publish a message, then get it, in one thread."""
    with database_server(redis_commands) as server, subscribed(server) as (publisher, messages):

        def run() -> Outcome:
            received = 0
            for number in range(load.count):
                publisher.publish(CHANNEL, number)
                received += receive(messages, 1)
            return (received,)

        yield run


@contextmanager
def in_two_threads(load: Messages) -> Iterator[Run]:
    """Publish in this thread, and get the messages in another."""
    with (
        database_server(redis_commands) as server,
        subscribed(server) as (publisher, messages),
        warm_threads(1) as pool,
    ):

        def run() -> Outcome:
            received = pool.submit(receive, messages, load.count)
            for number in range(load.count):
                publisher.publish(CHANNEL, number)
            return (received.result(),)

        yield run


@contextmanager
def in_two_tasks(load: Messages) -> Iterator[Run]:
    """Publish in one task, and get the messages in another."""
    with (
        database_server(redis_commands) as server,
        event_loop() as loop,
        async_clients(loop, server, 2) as (publisher, subscriber),
        opened_on(loop, subscriber.pubsub()) as messages,
    ):
        loop.run_until_complete(messages.subscribe(CHANNEL))
        loop.run_until_complete(messages.get_message(timeout=None))

        async def async_receive() -> int:
            received = 0
            while received < load.count:
                message = await messages.get_message(timeout=None)
                received += message is not None and message["type"] == "message"
            return received

        async def publish() -> None:
            for number in range(load.count):
                await publisher.publish(CHANNEL, number)

        async def job() -> Outcome:
            received, _ = await gather(async_receive(), publish())
            return (received,)

        yield run_on(loop, job)


def variant(name: str, technique: Technique[L]) -> Variant[L]:
    """A variant that uses redis-py."""
    return Variant(name=name, technique=technique, requires=("redis",), commands=("redis-server",))


VARIANTS = (
    variant("sync", sync),
    variant("threads_10", partial(threads, workers=10)),
    variant("asyncio", gathered(partial(tasks, workers=1))),
    variant("asyncio_10", gathered(partial(tasks, workers=10))),
)

REDIS_COMMANDS = Scenario(
    name="redis_commands",
    loads=Loads(trial=Commands(count=20), quick=Commands(count=20 * PIPELINE), standard=Commands(count=100 * PIPELINE)),
    variants=VARIANTS,
)

REDIS_PIPELINE = Scenario(
    name="redis_pipeline",
    loads=Loads(
        trial=Commands(count=10 * PIPELINE, pipeline=PIPELINE),
        quick=Commands(count=20 * PIPELINE, pipeline=PIPELINE),
        standard=Commands(count=100 * PIPELINE, pipeline=PIPELINE),
    ),
    variants=VARIANTS,
)

REDIS_PUBSUB = Scenario(
    name="redis_pubsub",
    loads=Loads(trial=Messages(count=10), quick=Messages(count=500), standard=Messages(count=5_000)),
    variants=(
        variant("sync", alternately),
        variant("threads", in_two_threads),
        variant("asyncio", in_two_tasks),
    ),
)

SCENARIOS = (REDIS_COMMANDS, REDIS_PIPELINE, REDIS_PUBSUB)

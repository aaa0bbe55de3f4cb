"""Bodies of HTTP in blocks of 1 MB, as a download and as an upload, with different clients."""

from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import TypeAlias

from windtunnel_scenarios.http_clients import open_aiohttp_session, open_requests_session, succeeded
from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.loops import Coroutines, gathered, opened_on, uvloop_factory
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.servers import running_server

BLOCK = bytes(2**20)
"""What the sender passes at once. A receiver gets pieces as its library has them, of at most this size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """How many streams at once, how many blocks each, and whether the client sends them."""

    count: int
    blocks: int
    upload: bool = False

    @property
    def outcome(self) -> Outcome:
        """How many bytes each stream carried."""
        return (self.blocks * len(BLOCK),) * self.count


@contextmanager
def server_url(load: Streams) -> Iterator[str]:
    """Run the server on processors of its own, and yield the URL of a stream."""
    with separate_processors(running_server("windtunnel_scenarios.programs.stream_server")) as server:
        yield f"http://127.0.0.1:{server.port}/{load.blocks}"


Transfer: TypeAlias = Callable[[str, Streams], int]
"""Carries one stream; returns how many bytes the side that receives got."""


@contextmanager
def requests_transfer() -> Iterator[Transfer]:
    """Use one ``requests.Session`` for all threads."""
    with open_requests_session() as session:

        def transfer(url: str, load: Streams) -> int:
            if load.upload:
                with session.post(url, data=repeat(BLOCK, load.blocks)) as response:
                    response.raise_for_status()
                    return int(response.text)
            with session.get(url, stream=True) as response:
                response.raise_for_status()
                return sum(map(len, response.iter_content(len(BLOCK))))

        yield transfer


@contextmanager
def httpx_transfer() -> Iterator[Transfer]:
    """Use one ``httpx.Client`` for all threads."""
    import httpx

    with httpx.Client(trust_env=False) as client:

        def transfer(url: str, load: Streams) -> int:
            if load.upload:
                return int(succeeded(client.post(url, content=repeat(BLOCK, load.blocks))).text)
            with client.stream("GET", url) as response:
                return sum(map(len, succeeded(response).iter_bytes()))

        yield transfer


@contextmanager
def one_by_one(load: Streams, open_transfer: Callable[[], AbstractContextManager[Transfer]]) -> Iterator[Run]:
    """Carry one stream after the other over one connection."""
    with server_url(load) as url, open_transfer() as transfer:

        def run() -> Outcome:
            return tuple(transfer(url, load) for _ in range(load.count))

        yield run


@contextmanager
def in_threads(load: Streams, open_transfer: Callable[[], AbstractContextManager[Transfer]]) -> Iterator[Run]:
    """Carry all streams at once, in a thread each."""
    with server_url(load) as url, open_transfer() as transfer, warm_threads(load.count) as pool:

        def run() -> Outcome:
            return tuple(pool.map(transfer, repeat(url, load.count), repeat(load)))

        yield run


@contextmanager
def httpx_async(load: Streams, loop: AbstractEventLoop) -> Iterator[Coroutines]:
    """Carry all streams at once in one ``httpx.AsyncClient``."""
    import httpx

    with server_url(load) as url, opened_on(loop, httpx.AsyncClient(trust_env=False)) as client:

        async def transfer() -> int:
            if load.upload:
                response = await client.post(url, content=async_blocks(load))
                return int(succeeded(response).text)
            async with client.stream("GET", url) as response:
                return sum([len(piece) async for piece in succeeded(response).aiter_bytes()])

        yield lambda: (transfer() for _ in range(load.count))


@contextmanager
def aiohttp(load: Streams, loop: AbstractEventLoop, *, join: bool = True) -> Iterator[Coroutines]:
    """Carry all streams at once in one aiohttp session, which joins what has arrived or hands it out as it came."""
    with server_url(load) as url, open_aiohttp_session(loop) as session:

        async def transfer() -> int:
            if load.upload:
                async with session.post(url, data=async_blocks(load)) as response:
                    return int(await response.text())
            async with session.get(url) as response:
                if not join:
                    return sum([len(piece) async for piece, _ in response.content.iter_chunks()])
                return sum([len(piece) async for piece in response.content.iter_chunked(len(BLOCK))])

        yield lambda: (transfer() for _ in range(load.count))


async def async_blocks(load: Streams) -> AsyncIterator[bytes]:
    """Yield the blocks of an upload."""
    for _ in range(load.blocks):
        yield BLOCK


VARIANTS: tuple[Variant[Streams], ...] = (
    Variant(name="requests", technique=partial(one_by_one, open_transfer=requests_transfer), requires=("requests",)),
    Variant(
        name="requests_threads", technique=partial(in_threads, open_transfer=requests_transfer), requires=("requests",)
    ),
    Variant(name="httpx_threads", technique=partial(in_threads, open_transfer=httpx_transfer), requires=("httpx",)),
    Variant(name="httpx_async", technique=gathered(httpx_async), requires=("httpx",)),
    Variant(name="aiohttp", technique=gathered(aiohttp), requires=("aiohttp",)),
    Variant(name="aiohttp_uvloop", technique=gathered(aiohttp, factory=uvloop_factory), requires=("aiohttp", "uvloop")),
)

UNJOINED = partial(aiohttp, join=False)

UNJOINED_VARIANTS: tuple[Variant[Streams], ...] = (
    Variant(name="aiohttp_unjoined", technique=gathered(UNJOINED), requires=("aiohttp",)),
    Variant(
        name="aiohttp_uvloop_unjoined",
        technique=gathered(UNJOINED, factory=uvloop_factory),
        requires=("aiohttp", "uvloop"),
    ),
)
"""Downloads only: aiohttp joins what it has received."""

STREAM_DOWNLOADS = Scenario(
    name="stream_downloads",
    loads=Loads(
        trial=Streams(count=2, blocks=1), quick=Streams(count=4, blocks=4), standard=Streams(count=10, blocks=10)
    ),
    variants=(*VARIANTS, *UNJOINED_VARIANTS),
)

STREAM_UPLOADS = Scenario(
    name="stream_uploads",
    loads=Loads(
        trial=Streams(count=2, blocks=1, upload=True),
        quick=Streams(count=4, blocks=4, upload=True),
        standard=Streams(count=10, blocks=10, upload=True),
    ),
    variants=VARIANTS,
)

SCENARIOS = (STREAM_DOWNLOADS, STREAM_UPLOADS)

"""Reading files: many small ones or a few large ones, from the page cache (warm) or from the disk (cold)."""

import os
from asyncio import gather, to_thread
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import enumerate as running_threads

from windtunnel_scenarios.files import MEBIBYTE, WORKERS, incompressible
from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, UnavailableError, Variant
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.io_uring import operation_ring
from windtunnel_scenarios.support.loops import default_executor, event_loop, run_on
from windtunnel_scenarios.support.page_cache import drop_from_cache
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.storage import Storage, find_folders

NUMBER = 8
"""Bytes at the beginning of each piece that hold its number, so that the outcome shows that all were read."""

SMALL = 4096
"""Bytes of a small file, which is one piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """How many files, and of how many pieces each."""

    count: int
    pieces: int = 1
    piece_size: int = SMALL
    cold: bool = False
    """Whether the page cache has nothing of the files when a run begins."""

    @property
    def outcome(self) -> Outcome:
        """How many bytes the files have, and the sum of the numbers of their pieces."""
        total = self.count * self.pieces
        return (total * self.piece_size, total * (total - 1) // 2)


Found = tuple[int, int]
"""How many bytes were read, and the sum of the numbers of their pieces."""


class ColdRun:
    """A run whose files are out of the page cache when it begins."""

    def __init__(self, run: Run, paths: Sequence[str]) -> None:
        self._run, self._paths, self._cold = run, paths, False

    def prepare(self) -> None:
        """Before each timed run, outside the clock: take the files out of the page cache, and check that they are."""
        drop_from_cache(self._paths)
        self._cold = True

    def __call__(self) -> Outcome:
        if not self._cold:
            self.prepare()
        self._cold = False
        return self._run()


OpenReader = Callable[[Reads, tuple[str, ...]], AbstractContextManager[Run]]
"""Opens what reading these files needs, and yields the run."""


@contextmanager
def written_files(load: Reads, open_reader: OpenReader) -> Iterator[Run]:
    """Write the files until the disk has them and yield the run of a reader."""
    size = load.count * load.pieces * load.piece_size
    with temporary_folder(find_folders(Storage.DISK, size)[0]) as folder:
        paths = tuple(str(folder / f"{number:05}") for number in range(load.count))
        rest = incompressible(load.piece_size - NUMBER)
        for number, path in enumerate(paths):
            pieces = range(number * load.pieces, (number + 1) * load.pieces)
            with Path(path).open("wb", buffering=0) as file:
                file.writelines(piece.to_bytes(NUMBER, "big") + rest for piece in pieces)
        with suppress(*() if load.cold else (UnavailableError,)):
            drop_from_cache(paths)  # also before warm runs, so that no written page goes to the disk meanwhile
        try:
            with open_reader(load, paths) as run:
                yield ColdRun(run, paths) if load.cold else run
        finally:
            with ThreadPoolExecutor(WORKERS) as pool:  # a disk with online TRIM takes milliseconds to delete a file
                list(pool.map(os.unlink, paths))


def find(data: bytes | bytearray | memoryview) -> Found:
    """Return the size of a piece and its number."""
    return len(data), int.from_bytes(data[:NUMBER], "big")


def total(found: Iterable[Found]) -> Found:
    """Add up what readers found."""
    sizes, numbers = zip(*found, strict=True)
    return sum(sizes), sum(numbers)


def read_small(path: str) -> Found:
    """Read a file at once."""
    with open(path, "rb") as file:  # noqa: PTH123 - the builtin is what aiofiles calls in its threads, too
        return find(file.read())


def read_small_os(path: str) -> Found:
    """Read a file with the three system calls that a ring makes, without asking for its size."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return find(os.read(descriptor, 2 * SMALL))
    finally:
        os.close(descriptor)


def read_pieces(path: str) -> Found:
    """Read a file piece by piece into one buffer."""
    found = []
    buffer = bytearray(MEBIBYTE)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
        while size := file.readinto(buffer):
            found.append(find(memoryview(buffer)[:size]))
    return total(found)


def read_whole(path: str) -> Found:
    """Read a large file at once into new memory."""
    with open(path, "rb") as file:  # noqa: PTH123 - as above
        data = memoryview(file.read())
    return total([find(data[start : start + MEBIBYTE]) for start in range(0, len(data), MEBIBYTE)])


ReadFile = Callable[[str], Found]


@contextmanager
def sync(_load: Reads, paths: tuple[str, ...], *, read: ReadFile) -> Iterator[Run]:
    """Read one file after the other."""
    yield lambda: total(map(read, paths))


@contextmanager
def threads(_load: Reads, paths: tuple[str, ...], *, read: ReadFile) -> Iterator[Run]:
    """Pass each file to a thread of a pool."""
    with warm_threads(WORKERS) as pool:
        yield lambda: total(pool.map(read, paths))


@contextmanager
def thread_shares(_load: Reads, paths: tuple[str, ...], *, read: ReadFile, workers: int = WORKERS) -> Iterator[Run]:
    """Pass its share of the files to each thread of a pool at once."""
    shares = [paths[worker::workers] for worker in range(workers)]

    def read_share(share: Sequence[str]) -> Found:
        return total(map(read, share)) if share else (0, 0)

    with warm_threads(workers) as pool:
        yield lambda: total(pool.map(read_share, shares))


@contextmanager
def aiofiles_tasks(load: Reads, paths: tuple[str, ...]) -> Iterator[Run]:
    """Read with aiofiles in as many tasks as its pool has threads; each open, read and close is a call in a thread.

    A task for each file at once would open all of them before the first is closed, more than a process may have open.
    """
    import aiofiles

    async def read(path: str) -> Found:
        if load.pieces == 1:
            async with aiofiles.open(path, "rb") as file:
                return find(await file.read())
        found = []
        buffer = bytearray(MEBIBYTE)
        async with aiofiles.open(path, "rb", buffering=0) as raw:
            while size := await raw.readinto(buffer):
                found.append(find(memoryview(buffer)[:size]))
        return total(found)

    async def job() -> Outcome:
        waiting = iter(paths)

        async def work() -> list[Found]:
            return [await read(path) for path in waiting]

        lists = await gather(*(work() for _ in range(WORKERS)))
        return total([found for each in lists for found in each])

    with default_executor(WORKERS) as pool, event_loop(pool) as loop:
        yield run_on(loop, job)


@contextmanager
def asyncio_threads(_load: Reads, paths: tuple[str, ...], *, read: ReadFile) -> Iterator[Run]:
    """Pass each file to a thread with ``asyncio.to_thread``, from as many tasks as the loop's pool has threads."""

    async def job() -> Outcome:
        waiting = iter(paths)

        async def work() -> list[Found]:
            return [await to_thread(read, path) for path in waiting]

        lists = await gather(*(work() for _ in range(WORKERS)))
        return total([found for each in lists for found in each])

    with default_executor(WORKERS) as pool, event_loop(pool) as loop:
        yield run_on(loop, job)


@contextmanager
def anyio_threads(_load: Reads, paths: tuple[str, ...], *, read: ReadFile) -> Iterator[Run]:
    """Pass each file to a thread with ``anyio.to_thread``, from as many tasks as it may have threads.

    anyio ends its threads with the loop's main task, so each run starts them.
    """
    import anyio
    import anyio.to_thread

    async def job() -> Outcome:
        waiting, found = iter(paths), list[Found]()
        limiter = anyio.CapacityLimiter(WORKERS)

        async def work() -> None:
            for path in waiting:
                found.append(await anyio.to_thread.run_sync(read, path, limiter=limiter))

        async with anyio.create_task_group() as group:
            for _ in range(WORKERS):
                group.start_soon(work)
        return total(found)

    try:
        with event_loop() as loop:
            yield run_on(loop, job)
    finally:
        for thread in running_threads():
            if thread.name.startswith("AnyIO worker"):
                thread.join()


OPEN, READ, CLOSE = range(3)
"""What an operation of a ring does."""


@contextmanager
def uring_small(load: Reads, paths: tuple[str, ...], *, depth: int) -> Iterator[Run]:
    """Open, read and close with io_uring, so many files at once.

    A buffer is larger than a file, so a short read is the whole file, whose size is not asked for.
    """
    from liburing import io_uring_prep_close, io_uring_prep_open, io_uring_prep_read

    buffers = [bytearray(2 * load.piece_size) for _ in range(depth)]
    with operation_ring(depth) as ring:

        def run() -> Outcome:
            waiting = iter(paths)
            files, found = [0] * depth, list[Found]()

            def begin(slot: int) -> None:
                path = next(waiting, None)
                if path is not None:
                    ring.queue(slot * 3 + OPEN, io_uring_prep_open, path, os.O_RDONLY | os.O_CLOEXEC)

            for slot in range(depth):
                begin(slot)
            closed = 0
            while closed < len(paths):
                for number, result in ring.results():
                    slot, done = divmod(number, 3)
                    if done == OPEN:
                        files[slot] = result
                        ring.queue(slot * 3 + READ, io_uring_prep_read, result, buffers[slot])
                    elif done == READ:
                        found.append(find(bytes(memoryview(buffers[slot])[:result])))
                        ring.queue(slot * 3 + CLOSE, io_uring_prep_close, files[slot])
                    else:
                        closed += 1
                        begin(slot)
            return total(found)

        yield run


@contextmanager
def uring_pieces(_load: Reads, paths: tuple[str, ...], *, depth: int) -> Iterator[Run]:
    """Read the pieces of all files with io_uring, so many at once."""
    from liburing import io_uring_prep_read

    buffers = [bytearray(MEBIBYTE) for _ in range(depth)]
    with operation_ring(depth) as ring:

        def run() -> Outcome:
            files = [os.open(path, os.O_RDONLY) for path in paths]
            try:
                pieces = [(file, at) for file in files for at in range(0, os.fstat(file).st_size, MEBIBYTE)]
                waiting, found = iter(pieces), list[Found]()

                def begin(slot: int) -> None:
                    for file, at in waiting:
                        ring.queue(slot, io_uring_prep_read, file, buffers[slot], at)
                        return

                for slot in range(depth):
                    begin(slot)
                while len(found) < len(pieces):
                    for slot, size in ring.results():
                        found.append(find(memoryview(buffers[slot])[:size]))
                        begin(slot)
                return total(found)
            finally:
                for file in files:
                    os.close(file)

        yield run


def variant(name: str, technique: OpenReader, *requires: str) -> Variant[Reads]:
    """A variant whose reader opens in this way."""
    return Variant(name=name, technique=partial(written_files, open_reader=technique), requires=requires)


AIOFILES = variant("aiofiles", aiofiles_tasks, "aiofiles")

SMALL_VARIANTS = (
    variant("sync", partial(sync, read=read_small)),
    variant("sync_os", partial(sync, read=read_small_os)),
    variant("threads", partial(threads, read=read_small)),
    variant("thread_shares", partial(thread_shares, read=read_small)),
    variant("thread_shares_64_os", partial(thread_shares, read=read_small_os, workers=64)),
    AIOFILES,
    variant("to_thread", partial(asyncio_threads, read=read_small)),
    variant("anyio_to_thread", partial(anyio_threads, read=read_small), "anyio"),
    variant("io_uring_12", partial(uring_small, depth=WORKERS), "liburing"),
    variant("io_uring_64", partial(uring_small, depth=64), "liburing"),
)
"""``io_uring_12`` has as many files open at once as the pools have threads. ``io_uring_64`` and ``thread_shares_64_os``
have 64, and make the same system calls."""

LARGE_VARIANTS = (
    variant("sync", partial(sync, read=read_pieces)),
    variant("sync_whole", partial(sync, read=read_whole)),
    variant("threads", partial(threads, read=read_pieces)),
    AIOFILES,
    variant("to_thread", partial(asyncio_threads, read=read_pieces)),
    variant("anyio_to_thread", partial(anyio_threads, read=read_pieces), "anyio"),
    variant("io_uring_2", partial(uring_pieces, depth=2), "liburing"),
    variant("io_uring_12", partial(uring_pieces, depth=WORKERS), "liburing"),
)
"""``io_uring_2`` reads as many pieces at once as there are files, and so do the pools."""


def cold(loads: Loads[Reads]) -> Loads[Reads]:
    """Return the loads with files that are out of the page cache."""
    return Loads(
        trial=replace(loads.trial, cold=True),
        quick=replace(loads.quick, cold=True),
        standard=replace(loads.standard, cold=True),
    )


SMALL_LOADS = Loads(trial=Reads(count=15), quick=Reads(count=200), standard=Reads(count=10_000))
LARGE_LOADS = Loads(
    trial=Reads(count=2, pieces=2, piece_size=MEBIBYTE),
    quick=Reads(count=2, pieces=4, piece_size=MEBIBYTE),
    standard=Reads(count=2, pieces=256, piece_size=MEBIBYTE),
)

SCENARIOS = (
    Scenario(name="read_small", loads=SMALL_LOADS, variants=SMALL_VARIANTS),
    Scenario(name="read_small_cold", loads=cold(SMALL_LOADS), variants=SMALL_VARIANTS),
    Scenario(name="read_large", loads=LARGE_LOADS, variants=LARGE_VARIANTS),
    Scenario(name="read_large_cold", loads=cold(LARGE_LOADS), variants=LARGE_VARIANTS),
)

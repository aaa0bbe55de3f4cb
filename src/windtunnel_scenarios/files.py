"""Writing several files of one size, each in one piece: to the page cache, or until the disk has them."""

import os
from asyncio import AbstractEventLoop, Semaphore
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from random import Random
from subprocess import DEVNULL, Popen

from windtunnel_scenarios.model import L, Loads, Outcome, Run, Scenario, Technique, Variant
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.loops import Coroutines, gathered
from windtunnel_scenarios.support.pools import warm_threads
from windtunnel_scenarios.support.storage import Storage, find_folders

MEBIBYTE = 2**20

WORKERS = 12
"""Threads of a pool, unless a variant names another number: asyncio's default with eight CPUs (CPUs + 4)."""

MAX_RANDOM_BYTES = 2**26
"""Bytes that the generator is asked for at once: it refuses more than 2**28 - 1 (its count of bits is a C int)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """How many files of how many bytes, and where."""

    count: int
    size: int
    storage: Storage = Storage.DISK
    fsync: bool = False
    """Whether each file is on the disk before it is closed."""

    @property
    def outcome(self) -> Outcome:
        """The bytes written to each file."""
        return (self.size,) * self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """The files of a case."""

    paths: tuple[Path, ...]
    data: bytes
    """What is written to each file. It is incompressible, because some file systems compress zeros away."""


@contextmanager
def target_files(load: Writes, disks: int | None = None, parents: Sequence[Path] | None = None) -> Iterator[Targets]:
    """Name the files, in turn in each parent folder, and generate the data; the warm-up run creates the files.

    ``disks`` is how many of the load's disks are used; None means all.
    """
    with ExitStack() as stack:
        parents = find_folders(load.storage, load.count * load.size)[:disks] if parents is None else parents
        folders = tuple(stack.enter_context(temporary_folder(parent)) for parent in parents)
        paths = tuple(folders[number % len(folders)] / f"{number:02}.bin" for number in range(load.count))
        yield Targets(paths=paths, data=incompressible(load.size))


def incompressible(size: int) -> bytes:
    """Return so many random bytes, the same each time."""
    random = Random(0)
    starts = range(0, size, MAX_RANDOM_BYTES)
    return b"".join(random.randbytes(min(MAX_RANDOM_BYTES, size - start)) for start in starts)


def write(path: Path, data: bytes, fsync: bool) -> int:  # noqa: FBT001 - passed through by Executor.map
    """Empty a file and fill it in one call."""
    with open(path, "wb") as file:  # noqa: PTH123 - the builtin is what aiofiles calls in its threads, too
        written = file.write(data)
        if fsync:
            file.flush()
            os.fsync(file.fileno())
        return written


@contextmanager
def sync(load: Writes, disks: int | None = None) -> Iterator[Run]:
    """Write one file after the other with ``open`` and ``write``."""
    with target_files(load, disks) as files:

        def run() -> Outcome:
            return tuple(write(path, files.data, load.fsync) for path in files.paths)

        yield run


@contextmanager
def threads(load: Writes) -> Iterator[Run]:
    """Write all files at once, each in a thread of a pool."""
    with target_files(load) as files, warm_threads(WORKERS) as pool:

        def run() -> Outcome:
            return tuple(pool.map(write, files.paths, repeat(files.data), repeat(load.fsync)))

        yield run


@contextmanager
def aiofiles_writes(
    load: Writes, loop: AbstractEventLoop, max_writes: int = 0, disks: int | None = None
) -> Iterator[Coroutines]:
    """Write all files with aiofiles, which opens, writes and closes them in the threads of the loop's pool.

    ``max_writes`` is the size of a semaphore that a coroutine takes after it opened its file, as published; 0 means no
    limit.
    """
    import aiofiles

    limit = Semaphore(max_writes) if max_writes else nullcontext()

    async def write_file(path: Path) -> int:
        async with aiofiles.open(path, "wb") as file, limit:
            written = await file.write(files.data)
            if load.fsync:
                await file.flush()
                await loop.run_in_executor(None, os.fsync, file.fileno())
            return written

    with target_files(load, disks) as files:
        yield lambda: (write_file(path) for path in files.paths)


class DdRun:
    """Writes each file with a ``dd``: the limit without Python. It fills a buffer first, which is part of its time."""

    def __init__(self, paths: Sequence[Path], operands: Sequence[str], *, parallel: bool, new: bool) -> None:
        self._paths, self._operands, self._parallel, self._new = paths, operands, parallel, new

    def prepare(self) -> None:
        """Before each timed run, outside the clock: remove the files where new ones are written."""
        for path in self._paths if self._new else ():
            path.unlink(missing_ok=True)

    def __call__(self) -> Outcome:
        processes: Iterable[Popen[bytes]] = map(self._start, self._paths)  # each starts when its turn comes
        if self._parallel:
            processes = list(processes)  # all start now
        return tuple(wait_for_dd(path, process) for path, process in zip(self._paths, processes, strict=True))

    def _start(self, path: Path) -> Popen[bytes]:
        return Popen(("dd", "if=/dev/zero", f"of={path}", *self._operands), stderr=DEVNULL)


@contextmanager
def dd(load: Writes, *options: str, parallel: bool, new: bool = False) -> Iterator[Run]:
    """Write each file with a ``dd``, one after the other or all at once."""
    with target_files(load) as files:
        yield DdRun(files.paths, (f"bs={load.size}", "count=1", *options), parallel=parallel, new=new)


def wait_for_dd(path: Path, process: Popen[bytes]) -> int:
    """Wait for the end of a ``dd``; return the size of its file."""
    if process.wait():
        raise OSError(f"dd could not write {path}")
    return path.stat().st_size


class SyncedRun:
    """A run that ends with ``sync``: when the disk has everything, instead of the page cache."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __call__(self) -> Outcome:
        outcome = self._run()
        os.sync()
        return outcome

    def __getattr__(self, name: str) -> object:
        """Return what else the run has."""
        return getattr(self._run, name)


def synced(*variants: Variant[L]) -> tuple[Variant[L], ...]:
    """Return the variants with ``sync`` at the end of each run."""

    @contextmanager
    def ending_with_sync(load: L, /, technique: Technique[L]) -> Iterator[Run]:
        with technique(load) as run:
            yield SyncedRun(run)

    return tuple(replace(each, technique=partial(ending_with_sync, technique=each.technique)) for each in variants)


def aiofiles_variant(
    name: str, *, workers: int = WORKERS, max_writes: int = 0, disks: int | None = None
) -> Variant[Writes]:
    """A variant that writes with aiofiles and a pool of so many threads."""
    technique = gathered(partial(aiofiles_writes, max_writes=max_writes, disks=disks), threads=workers)
    return Variant(name=name, technique=technique, requires=("aiofiles",))


def dd_variant(name: str, *options: str, new: bool = False) -> Variant[Writes]:
    """A variant that writes with ``dd``; ``parallel`` in its name means all at once."""

    def technique(load: Writes, /) -> AbstractContextManager[Run]:
        return dd(load, *options, parallel="parallel" in name, new=new)

    return Variant(name=name, technique=technique, commands=("dd",))


SYNC = Variant(name="sync", technique=sync)
THREADS = Variant(name="threads", technique=threads)
AIOFILES = aiofiles_variant("aiofiles_gather")
SEMAPHORES = tuple(aiofiles_variant(f"aiofiles_semaphore_{size}", max_writes=size) for size in (4, 8, 12))
"""Ten files never wait for a semaphore of 12: that variant does what ``aiofiles_gather`` does, and is its control."""

IN_PLACE = "conv=notrunc"
"""Writes over what is there, whose pages and blocks stay. Without it the file is emptied first, as by ``open``."""

DD = (
    dd_variant("dd_serial"),
    dd_variant("dd_parallel"),
    dd_variant("dd_serial_new", new=True),
    dd_variant("dd_parallel_new", new=True),
    dd_variant("dd_serial_in_place", IN_PLACE),
    dd_variant("dd_parallel_in_place", IN_PLACE),
)


def loads(count: int, storage: Storage = Storage.DISK) -> Loads[Writes]:
    """Return the loads with so many files, which the scenarios have in common."""
    return Loads(
        trial=Writes(count=min(count, 3), size=1000, storage=storage),
        quick=Writes(count=count, size=4 * MEBIBYTE, storage=storage),
        standard=Writes(count=count, size=32 * MEBIBYTE, storage=storage),
        article=Writes(count=count, size=256 * MEBIBYTE, storage=storage),
    )


def synced_loads(count: int, size: int, storage: Storage = Storage.DISK) -> Loads[Writes]:
    """Return the loads of scenarios that end with ``sync``; ``size`` is that of the load ``standard``, in bytes."""
    return replace(loads(count, storage), standard=Writes(count=count, size=size, storage=storage), article=None)


FILES = Scenario(name="files", loads=loads(10), variants=(SYNC, AIOFILES, THREADS))
ONE_FILE = Scenario(name="one_file", loads=loads(1), variants=(SYNC, AIOFILES))
FIVE_FILES = Scenario(name="five_files", loads=loads(5), variants=(SYNC, AIOFILES))
FILES_SYNCED = Scenario(
    name="files_synced",
    loads=synced_loads(10, 16 * MEBIBYTE),
    variants=synced(SYNC, AIOFILES, THREADS, *SEMAPHORES),
)
ONE_FILE_SYNCED = Scenario(
    name="one_file_synced", loads=synced_loads(1, 64 * MEBIBYTE), variants=synced(SYNC, AIOFILES)
)
FIVE_FILES_SYNCED = Scenario(
    name="five_files_synced", loads=synced_loads(5, 32 * MEBIBYTE), variants=synced(SYNC, AIOFILES)
)
FILES_FSYNC = Scenario(
    name="files_fsync",
    loads=Loads(
        trial=Writes(count=3, size=1000, fsync=True),
        quick=Writes(count=10, size=1 * MEBIBYTE, fsync=True),
        standard=Writes(count=10, size=16 * MEBIBYTE, fsync=True),
        article=Writes(count=10, size=64 * MEBIBYTE, fsync=True),
    ),
    variants=(SYNC, AIOFILES, THREADS),
)
FILES_TMPFS = Scenario(
    name="files_tmpfs",
    loads=loads(5, Storage.TMPFS),
    variants=(
        SYNC,
        AIOFILES,
        THREADS,
        *(aiofiles_variant(f"aiofiles_workers_{workers}", workers=workers) for workers in (1, 2, 4, 8)),
    ),
)
FILES_TWO_DISKS = Scenario(
    name="files_two_disks",
    loads=synced_loads(6, 16 * MEBIBYTE, Storage.TWO_DISKS),
    variants=synced(
        SYNC,
        AIOFILES,
        Variant(name="sync_one_disk", technique=partial(sync, disks=1)),
        aiofiles_variant("aiofiles_gather_one_disk", disks=1),
    ),
)
FILES_DD = Scenario(name="files_dd", loads=loads(5), variants=DD)
FILES_DD_SYNCED = Scenario(name="files_dd_synced", loads=synced_loads(5, 32 * MEBIBYTE), variants=synced(*DD))
FILES_DD_TMPFS = Scenario(name="files_dd_tmpfs", loads=loads(5, Storage.TMPFS), variants=DD)

SCENARIOS = (
    FILES,
    ONE_FILE,
    FIVE_FILES,
    FILES_SYNCED,
    ONE_FILE_SYNCED,
    FIVE_FILES_SYNCED,
    FILES_FSYNC,
    FILES_TMPFS,
    FILES_TWO_DISKS,
    FILES_DD,
    FILES_DD_SYNCED,
    FILES_DD_TMPFS,
)

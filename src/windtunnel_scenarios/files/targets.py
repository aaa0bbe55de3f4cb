"""The files that a case writes, and what it writes into them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.support.folders import kept_folder
from windtunnel_scenarios.support.storage import places

BLOCK = 1 << 26
"""Bytes that are made up at once: a generator refuses more than 2**28 - 1 (its count of bits is a C int)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Paths in a folder of their own, and incompressible data for each: some file systems compress zeros away."""

    paths: tuple[Path, ...]
    data: bytes


@contextmanager
def targets(load: Writes) -> Iterator[Targets]:
    """Name the files, in turn on each volume, and make up the data; the first run, not timed, creates the files."""
    parents = places(load.storage, load.count * load.size)
    with ExitStack() as stack:
        folders = tuple(stack.enter_context(kept_folder(parent)) for parent in parents)
        paths = tuple(folders[number % len(folders)] / f"{number:02}.bin" for number in range(load.count))
        yield Targets(paths=paths, data=incompressible(load.size))


def incompressible(size: int) -> bytes:
    """As many bytes as asked for, each time the same."""
    random = Random(0)
    return b"".join(random.randbytes(min(BLOCK, size - start)) for start in range(0, size, BLOCK))

"""The limit without Python: ``dd`` for each file, which fills a buffer first; that is part of its time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.targets import targets
from windtunnel_scenarios.model import Outcome, Run

IN_PLACE = "conv=notrunc"
"""Writes over what is there, whose pages and blocks stay; otherwise the file is emptied first, as ``open`` does it."""


@contextmanager
def one_by_one(load: Writes, *how: str) -> Iterator[Run]:
    """A file after the other."""
    with targets(load) as files:

        def run() -> Outcome:
            return tuple(written(path, dd(path, load.size, *how)) for path in files.paths)

        yield run


@contextmanager
def all_at_once(load: Writes, *how: str) -> Iterator[Run]:
    """A process for each file."""
    with targets(load) as files:

        def run() -> Outcome:
            processes = [dd(path, load.size, *how) for path in files.paths]
            return tuple(written(path, process) for path, process in zip(files.paths, processes, strict=True))

        yield run


def dd(path: Path, size: int, *how: str) -> Popen[bytes]:
    """A process that fills the file with zeros in one call."""
    return Popen(("dd", "if=/dev/zero", f"of={path}", f"bs={size}", "count=1", *how), stderr=DEVNULL)


def written(path: Path, process: Popen[bytes]) -> int:
    """Wait for the end of a process, and see what it wrote."""
    if process.wait():
        raise OSError(f"dd could not write {path}")
    return path.stat().st_size

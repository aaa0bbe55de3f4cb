"""The limit without Python: one ``dd`` after the other; each fills a buffer first, which is part of its time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.files import Writes
from windtunnel.scenarios.files.targets import targets


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files."""
    with targets(load) as files:

        def run() -> Outcome:
            return tuple(written(path, dd(path, load.size)) for path in files.paths)

        yield run


def dd(path: Path, size: int) -> Popen[bytes]:
    """A process that empties the file and fills it with zeros in one call."""
    return Popen(("dd", "if=/dev/zero", f"of={path}", f"bs={size}", "count=1"), stderr=DEVNULL)


def written(path: Path, process: Popen[bytes]) -> int:
    """Wait for the end of a process, and see what it wrote."""
    if process.wait():
        raise OSError(f"dd could not write {path}")
    return path.stat().st_size

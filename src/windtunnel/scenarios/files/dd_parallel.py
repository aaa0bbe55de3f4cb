"""The limit without Python: a ``dd`` for each file, all at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.files import Writes
from windtunnel.scenarios.files.dd_serial import dd, written
from windtunnel.scenarios.files.targets import targets


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files."""
    with targets(load) as files:

        def run() -> Outcome:
            processes = [dd(path, load.size) for path in files.paths]
            return tuple(written(path, process) for path, process in zip(files.paths, processes, strict=True))

        yield run

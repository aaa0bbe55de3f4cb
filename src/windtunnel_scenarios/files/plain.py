"""One ``open`` and ``write`` after the other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.targets import targets
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Writes) -> Iterator[Run]:
    """The files."""
    with targets(load) as files:

        def run() -> Outcome:
            return tuple(write(path, files.data, load.durable) for path in files.paths)

        yield run


def write(path: Path, data: bytes, durable: bool) -> int:  # noqa: FBT001 - a property of the load, passed through
    """Empty the file and fill it in one call."""
    with open(path, "wb") as file:  # noqa: PTH123 - the builtin is what aiofiles calls in its threads, too
        written = file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
        return written

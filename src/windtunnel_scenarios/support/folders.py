"""Temporary folders that go away with the process that made them, however it ends."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

KEEPER = ("/bin/sh", "-c", 'read _; rm -rf -- "$1"', "keeper")
"""Waits for the end of its standard input, which is its parent's end as well, and removes the folder."""


@contextmanager
def kept_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new folder below ``parent``, gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="windtunnel-", dir=parent))
    with ExitStack() as stack:
        try:
            stack.enter_context(keeper(folder))
        except OSError:
            folder.rmdir()
            raise
        yield folder


def keeper(folder: Path) -> subprocess.Popen[bytes]:
    """A process that removes the folder at the end of the context, and after a ``kill -9`` of this process as well."""
    return subprocess.Popen(
        (*KEEPER, str(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a signal to the benchmark's group must not reach the keeper
    )

"""Temporary folders that are removed when the process that created them ends, however it ends."""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

KEEPER = ("/bin/sh", "-c", 'read _; rm -rf -- "$1"', "keeper")
"""Waits for the end of its standard input, which is also its parent's end, and removes the folder."""


@contextmanager
def temporary_folder(parent: Path | None = None, keeper: Sequence[str] = KEEPER) -> Iterator[Path]:
    """Create a folder below ``parent``; remove it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="windtunnel-", dir=parent))
    with ExitStack() as stack:
        try:
            stack.enter_context(remove_at_end(folder, keeper))
        except OSError:
            folder.rmdir()
            raise
        yield folder


def remove_at_end(folder: Path, keeper: Sequence[str] = KEEPER) -> subprocess.Popen[bytes]:
    """Start a process that removes the folder at the end of its context, also after a ``kill -9`` of this process."""
    return subprocess.Popen(
        (*keeper, str(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a signal to the benchmark's group must not reach the keeper
    )

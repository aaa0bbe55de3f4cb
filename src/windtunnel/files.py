"""Read our files, write files atomically, lock folders: other processes never see half a change."""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from windtunnel import formats
from windtunnel.errors import DataError
from windtunnel.formats import Format

T = TypeVar("T")


def read(path: Path, form: Format[T]) -> T:
    """Return the value in the file *path*; raises DataError with the file, the key and the remedy."""
    return form.decode(read_bytes(path, form.remedy), str(path))


def read_bytes(path: Path, remedy: str) -> bytes:
    """Return the content of *path*, cut after the largest size that is decoded; raises DataError with the *remedy*."""
    try:
        with path.open("rb") as file:
            return file.read(formats.MAX_BYTES + 1)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; {remedy}") from None


def write_atomically(path: Path, content: bytes) -> None:
    """Replace *path* by *content*; folders above it are made.

    Raises DataError when the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).chmod(0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror}; make its folder writable or name another"
        ) from None


WAIT = 60.0
"""Seconds that a command waits for another one; merging 1,500 files of 500 benchmarks takes half of that."""

LOOK_AGAIN = 0.1
"""Seconds."""


@contextmanager
def locked(folder: Path, wait: float | None = None) -> Iterator[None]:
    """Keep other Windtunnels from writing into *folder* meanwhile; it is made where it is missing.

    The folder itself is the lock, so nothing is left behind, and a killed holder holds nothing. Raises DataError when
    the folder cannot be written, or another one writes there for more than *wait* seconds (default: WAIT).
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written: {error.strerror}; make it writable or name another folder"
        ) from None
    try:
        _acquire(handle, folder, WAIT if wait is None else wait)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, folder: Path, wait: float) -> None:
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise DataError(
                    f"another Windtunnel is writing into {folder}; wait for its end, then run the same command again"
                ) from None
            time.sleep(LOOK_AGAIN)
        else:
            return

"""Read files, write them atomically, unpack archives, and lock folders: other processes never see a partial change."""

import ctypes
import io
import os
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TypeVar

from filelock import FileLock, Timeout

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


def unpack(archive: bytes, folder: Path) -> None:
    """Unpack a tar file into *folder*; raises TarError, after it may have unpacked a part, if an entry would leave it.

    Python has a filter for that since 3.11.4 (PEP 706). Before, every link is refused.
    """
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        if hasattr(tarfile, "data_filter"):
            packed.extractall(folder, filter="data")
            return
        for entry in packed:
            path = PurePosixPath(entry.name)
            if not (entry.isfile() or entry.isdir()) or path.is_absolute() or ".." in path.parts:
                raise tarfile.TarError(f"{entry.name!r} is not a file or folder inside the archive")
        packed.extractall(folder)  # noqa: S202 - every entry was checked


LOCK_NAME = ".lock"
"""File below a locked folder; readers of results ignore hidden files."""

DEFAULT_LOCK_TIMEOUT = 60.0
"""Seconds to wait for another command; merging 1,500 files of 500 benchmarks takes half of that."""


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file *path* by *content* and create missing parent folders.

    A device or pipe, such as ``/dev/null``, gets the content and stays what it is. Raises DataError when the folder
    cannot be written.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(content)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            new = Path(file.name)
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                file.close()  # Windows does not replace or remove an open file
                new.chmod(0o644)
                new.replace(path)
            except BaseException:
                file.close()
                new.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror}; make its folder writable or name another"
        ) from None


MAX_SEPARATE = 8
"""Files up to which each is flushed by itself; flushing a file system also waits for what other programs wrote."""

WRITING = ".writing."
"""How the name of a folder with new contents begins, before these replace the files."""
STALE_AFTER = 3600.0
"""Seconds without a new file after which such a folder is of a call that was killed."""


def write_together(folder: Path, contents: Iterable[tuple[Path, bytes]]) -> None:
    """Replace files below *folder* by their *contents*, in their order, and create missing parent folders.

    After a crash of the system each file holds its old content or its new one: all new contents are on the disk before
    the first file is replaced. They wait for the disk once, not once for each file. Raises DataError when a folder
    cannot be written; then no file, or only the first ones, are replaced. What a killed call left is removed later.
    """
    remaining = iter(contents)
    first = next(remaining, None)
    if first is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_stale(folder)
        with tempfile.TemporaryDirectory(dir=folder, prefix=WRITING) as place:
            written: list[tuple[Path, Path]] = []
            for path, content in chain([first], remaining):
                new = Path(place, str(len(written)))
                new.write_bytes(content)
                new.chmod(0o644)
                written.append((new, path))
            _flush([new for new, _ in written], flush_file_system)
            for new, path in written:
                path.parent.mkdir(parents=True, exist_ok=True)
                new.replace(path)
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written: {error.strerror}; make it writable or name another folder"
        ) from None


def _remove_stale(folder: Path) -> None:
    """Remove what killed calls of `write_together` left in *folder*."""
    for place in folder.glob(f"{WRITING}*"):
        with suppress(OSError):
            if place.is_dir() and not place.is_symlink() and time.time() - place.stat().st_mtime > STALE_AFTER:
                shutil.rmtree(place)


def _flush(paths: Sequence[Path], together: Callable[[Path], bool]) -> None:
    """Wait until the files at *paths*, which are in one folder, are on the disk."""
    if len(paths) > MAX_SEPARATE and together(paths[0].parent):
        return
    for path in paths:
        with path.open("rb+") as file:
            os.fsync(file.fileno())


def flush_file_system(folder: Path) -> bool:
    """Wait until everything on the file system of *folder* is on the disk; False where the system cannot do that."""
    if sys.platform != "linux":
        return False
    handle = os.open(folder, os.O_RDONLY)
    try:
        return bool(ctypes.CDLL(None, use_errno=True).syncfs(handle) == 0)
    finally:
        os.close(handle)


@contextmanager
def locked(folder: Path, timeout: float = DEFAULT_LOCK_TIMEOUT) -> Iterator[None]:
    """Hold the lock of *folder*, which is created when missing; the operating system releases it when a holder dies.

    Raises DataError when the folder cannot be written, or another process holds the lock for *timeout* seconds.
    """
    lock = FileLock(folder / LOCK_NAME, timeout=timeout, fallback_to_soft=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise DataError(
            f"another Windtunnel is writing into {folder}; wait until it ends, then run the same command again"
        ) from None
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written: {error.strerror}; make it writable or name another folder"
        ) from None
    try:
        yield
    finally:
        _release(lock)


@contextmanager
def try_lock(file: Path) -> Iterator[bool]:
    """Hold the lock *file* at once or not at all: yield whether it is held."""
    lock = FileLock(file, timeout=0, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        _release(lock)


def _release(lock: FileLock) -> None:
    """Release *lock* and remove its file."""
    # A process that waits for the removed file opens a new one. Windows does not remove an open file.
    with suppress(PermissionError):
        Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()

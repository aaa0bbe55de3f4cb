"""Writes the data files of a site, and replaces the folder as a whole: readers see the old site or the new one."""

import ctypes
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from windtunnel import formats
from windtunnel.errors import DataError, UsageError
from windtunnel.files import try_lock

LEVEL = 4
"""A third of the time of zlib's own compromise, 6, and 5 % more bytes."""
VERSION = b"windtunnel 3 "
"""Changes whenever equal values are encoded differently."""
GZIP_HEAD = b"\x1f\x8b\x08\x10" + bytes(4) + b"\x00\xff"
"""Deflate, with a comment; no date, no file name (RFC 1952)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataWriter:
    """Writes into *folder*, with the *old* site at hand."""

    folder: Path
    old: Path

    def write(self, path: str, value: object) -> None:
        """Write *value* as JSON to *path*."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(formats.encode(value))

    def write_again(self, path: str, value: object) -> None:
        """Write *value* as compressed JSON to *path*, or link the old site's file where it has the same content."""
        digest = blake2b(formats.encode(value), digest_size=16).digest()
        if not self.link(path, digest):
            self.write_compressed(path, digest, value)

    def link(self, path: str, digest: bytes) -> bool:
        """Link the old site's file at *path* if it was built from what has this *digest*; return whether it was."""
        target, old = self.folder / path, self.old / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with old.open("rb") as file:
                head = file.read(len(GZIP_HEAD) + 100)
                is_same = head.startswith(_head(digest, os.fstat(file.fileno()).st_size))
            if is_same:
                os.link(old, target)
        except OSError:
            return False
        return is_same

    def write_compressed(self, path: str, digest: bytes, value: object) -> None:
        """Write *value* as compressed JSON to *path*, with the *digest* of what it was built from."""
        content = formats.encode(value)
        # Z_FILTERED is for small numbers that vary at random; it saves 2 %.
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_FILTERED)
        body = packer.compress(content) + packer.flush()
        body += zlib.crc32(content).to_bytes(4, "little") + (len(content) % 2**32).to_bytes(4, "little")
        (self.folder / path).write_bytes(_head(digest, len(_head(digest, 0)) + len(body)) + body)


def _head(digest: bytes, size: int) -> bytes:
    """Return the head of a gzip file of *size* bytes; its comment has the size and the *digest*."""
    return GZIP_HEAD + VERSION + f"{size:012d} {digest.hex()}".encode() + b"\0"


DATA_FILE = "overview.json"
BEGINNING = b'{"format":"windtunnel/overview"'
"""The beginning of DATA_FILE, which identifies a folder as a site that may be replaced."""

AT_FDCWD = -100
RENAME_EXCHANGE = 2
"""Linux: <fcntl.h>, <linux/fs.h>."""

LOCK_SUFFIX = ".lock"


Exchange = Callable[[Path, Path], bool]
"""Exchanges two folders in one step; returns whether the system supports it."""


def exchange_folders(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; return False where the system does not support it."""
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)  # glibc 2.28
    if rename is None:
        return False
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)


@contextmanager
def replace_site(site: Path, exchange: Exchange = exchange_folders) -> Iterator[Path]:
    """Yield an empty folder beside *site* that replaces it when the block ends without an error.

    Raises UsageError where *site* is not a site that may be replaced, and DataError where nothing can be written.
    """
    site = site.resolve()
    require_replaceable(site)
    building = site.with_name(f".{site.name}.building-{os.getpid()}")
    with ExitStack() as stack:
        try:
            site.parent.mkdir(parents=True, exist_ok=True)
            _sweep(site)
            stack.enter_context(try_lock(_lock_file(building)))
            building.mkdir()
        except OSError as error:
            raise DataError(
                f"{site} cannot be built: {error}; make its folder writable or name another with --out"
            ) from None
        try:
            yield building
            _swap(building, site, exchange)
        finally:
            shutil.rmtree(building, ignore_errors=True)


def require_replaceable(site: Path) -> None:
    """Raise UsageError unless *site* is missing, an empty folder, or a site that Windtunnel published."""
    if not site.exists():
        return
    if not site.is_dir():
        raise UsageError(f"{site} is a file; name a folder for the site with --out")
    if any(site.iterdir()) and not _is_site(site):
        raise UsageError(
            f"{site} holds files but not a site of Windtunnel, and publishing would delete them; "
            "name another folder with --out, or empty this one"
        )


def _is_site(folder: Path) -> bool:
    try:
        with (folder / DATA_FILE).open("rb") as file:
            return file.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def _sweep(site: Path) -> None:
    """Delete the folders of publishers that were killed: those that no process has locked."""
    for left in site.parent.glob(f".{site.name}.building-*"):
        if left.suffix != LOCK_SUFFIX:
            with try_lock(_lock_file(left)) as held:
                if held:
                    shutil.rmtree(left, ignore_errors=True)


def _lock_file(folder: Path) -> Path:
    """Return the lock of *folder*, a file beside it: Windows does not move a folder in which a file is open."""
    return folder.with_name(f"{folder.name}{LOCK_SUFFIX}")


def _swap(new: Path, site: Path, exchange: Exchange) -> None:
    """Exchange *new* and *site*, in one step where the system supports it; raises DataError where a program uses it."""
    try:
        if not site.exists():
            new.rename(site)
        elif not exchange(new, site):
            _swap_in_steps(new, site)
    except OSError as error:
        raise DataError(
            f"{site} cannot be replaced: {error.strerror}; end the programs that have it open. The old site stays"
        ) from None


def _swap_in_steps(new: Path, site: Path) -> None:
    old = new.with_name(f"{new.name}-old")
    site.rename(old)
    try:
        new.rename(site)
    except OSError:
        old.rename(site)
        raise
    old.rename(new)

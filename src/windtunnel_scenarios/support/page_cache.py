"""Taking files out of the page cache, so that the next reader waits for the disk; and whether they are really out."""

import ctypes
import mmap
import os
from collections.abc import Sequence
from functools import cache
from time import monotonic, sleep

from windtunnel_scenarios.model import UnavailableError

MAX_SECONDS = 60.0
"""Seconds in which the disk gets files that were just written, and the page cache loses them."""

PAUSE = 0.002
"""Seconds between two tries."""


def drop_from_cache(paths: Sequence[str]) -> None:
    """Take files out of the page cache and check that no page of them is left there.

    The kernel keeps pages that the disk does not have yet and begins to write them, so this tries again until all are
    gone. Raises UnavailableError where they stay, as on tmpfs.
    """
    if not hasattr(os, "posix_fadvise"):
        raise UnavailableError("this system cannot take files out of its page cache")
    deadline = monotonic() + MAX_SECONDS
    while paths := [path for path in paths if resident_pages_after_drop(path)]:
        if monotonic() > deadline:
            raise UnavailableError(f"{paths[0]} stays in the page cache; set TMPDIR to a folder on a disk")
        sleep(PAUSE)


def resident_pages_after_drop(path: str) -> int:
    """Ask the kernel to drop a file's pages; return how many are in memory still."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        return resident_pages(descriptor)
    finally:
        os.close(descriptor)


def resident_pages(descriptor: int) -> int:
    """Return how many pages of an open file are in memory (mincore(2))."""
    size = os.fstat(descriptor).st_size
    if not size:
        return 0
    libc = _libc()
    address = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap failed")
    try:
        pages = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
        if libc.mincore(address, size, pages):
            raise OSError(ctypes.get_errno(), "mincore failed")
        return sum(page & 1 for page in pages)
    finally:
        libc.munmap(address, size)


@cache
def _libc() -> ctypes.CDLL:
    """Return the C library: Python's mmap does not give the address of a mapping that is only read."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    return libc

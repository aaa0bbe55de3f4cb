"""A ring of the kernel's io_uring: operations are queued in memory, and one system call submits many of them."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from windtunnel_scenarios.model import UnavailableError


class OperationRing:
    """Operations that the kernel carries out, each with a number by which its result is recognised."""

    def __init__(self, entries: int) -> None:
        import liburing

        self._liburing, self._ring, self._completed = liburing, liburing.Ring(), liburing.Cqe()
        liburing.io_uring_queue_init(entries, self._ring)

    def queue(self, number: int, prepare: Callable[..., object], *arguments: object) -> None:
        """Queue an operation, at most one for each entry. The caller keeps its path or buffer until the result."""
        entry = self._liburing.io_uring_get_sqe(self._ring)
        prepare(entry, *arguments)
        entry.user_data = number

    def results(self) -> Iterator[tuple[int, int]]:
        """Submit what is queued, wait for at least one result, and yield the number and result of all that are ready.

        Raises OSError for an operation that failed.
        """
        liburing, ring, completed = self._liburing, self._ring, self._completed
        liburing.io_uring_submit_and_wait(ring, 1)
        for _ in range(liburing.io_uring_cq_ready(ring)):
            liburing.io_uring_peek_cqe(ring, completed)
            entry = completed[0]
            number, result = entry.user_data, entry.res
            liburing.io_uring_cqe_seen(ring, entry)
            yield number, result

    def close(self) -> None:
        """Give the ring back to the kernel."""
        self._liburing.io_uring_queue_exit(self._ring)


@contextmanager
def operation_ring(entries: int) -> Iterator[OperationRing]:
    """Open a ring; raises UnavailableError where the kernel has none or forbids it, as many containers do.

    Also raises it where opening a ring ends a process: the wheel of liburing 2026.3.30 has AVX-512 instructions, which
    many processors of 2026 lack.
    """
    if (signal := signal_of_a_ring()) is not None:
        raise UnavailableError(f"liburing does not run on this processor: signal {signal} ended a process that tried")
    try:
        ring = OperationRing(entries)
    except OSError as error:
        raise UnavailableError(
            f"the kernel refuses io_uring ({error}); it takes Linux 5.6, sysctl kernel.io_uring_disabled=0, and in a "
            "container a seccomp profile that allows io_uring_setup"
        ) from error
    try:
        yield ring
    finally:
        ring.close()


@cache
def signal_of_a_ring() -> int | None:
    """Return the signal that ends a process that opens a ring, None where nothing ends it; tried once a process."""
    code = "import liburing; liburing.io_uring_queue_init(1, liburing.Ring())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode
    return -ended if ended < 0 else None

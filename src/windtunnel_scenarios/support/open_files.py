"""Many open files: how many a process can have, and waiting for one whatever its number is."""

from collections.abc import Iterator
from contextlib import contextmanager
from selectors import EVENT_READ, DefaultSelector
from typing import IO

from windtunnel_scenarios.model import UnavailableError


@contextmanager
def allow_open_files(count: int) -> Iterator[None]:
    """Raise this process's soft limit of open files to ``count``, also for the processes that it starts.

    Raises UnavailableError where the hard limit is lower. The limit is what it was at the end of the context.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
    except ImportError as absent:
        raise UnavailableError("this system has no limits of resources that a process can read") from absent
    soft, hard = getrlimit(RLIMIT_NOFILE)
    if soft == RLIM_INFINITY or soft >= count:
        yield
        return
    if hard != RLIM_INFINITY and hard < count:
        raise UnavailableError(
            f"{count} open files are needed, and the hard limit of this process is {hard}: raise it with ulimit -Hn"
        )
    setrlimit(RLIMIT_NOFILE, (count, hard))
    try:
        yield
    finally:
        setrlimit(RLIMIT_NOFILE, (soft, hard))


def is_readable(source: IO[bytes] | int, timeout: float) -> bool:
    """Return whether reading would not block, at the latest after ``timeout`` seconds.

    ``select.select`` refuses descriptors above 1,023, which cases with a thousand connections have.
    """
    with DefaultSelector() as selector:
        selector.register(source, EVENT_READ)
        return bool(selector.select(timeout))

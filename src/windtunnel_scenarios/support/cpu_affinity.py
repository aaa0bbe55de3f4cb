"""A server and its client on different processors, so that neither waits for the other's computing."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

from windtunnel_scenarios.model import UnavailableError

T = TypeVar("T")

TOPOLOGY = Path("/sys/devices/system/cpu")


def split_processors(allowed: frozenset[int], topology: Path = TOPOLOGY) -> tuple[frozenset[int], frozenset[int]]:
    """Return the processor for the client, and the processors for the server.

    The server gets all that share no core with the client's; where each shares it, all others; where there is a single
    one, that one.
    """
    client = max(allowed)
    others = allowed - {client}
    return frozenset({client}), (others - core_of(client, topology)) or others or allowed


def core_of(processor: int, topology: Path = TOPOLOGY) -> frozenset[int]:
    """Return the processors that share a core with this one, as Linux lists them (``0,4`` or ``0-1``)."""
    try:
        siblings = (topology / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text(encoding="ascii")
    except OSError:
        return frozenset({processor})
    ranges = (part.split("-") for part in siblings.strip().split(","))
    return frozenset(number for ends in ranges for number in range(int(ends[0]), int(ends[-1]) + 1))


_allowed: list[frozenset[int]] = []
"""The processors that this process had before it separated any, once for each server that is open now."""


@contextmanager
def separate_processors(server: AbstractContextManager[T]) -> Iterator[T]:
    """Start a server that stays on its processors, and keep this thread on another.

    Threads and processes that either starts stay there too. Servers that are open at once are on the same processors. A
    system without CPU affinity shares all processors.
    """
    if not hasattr(os, "sched_setaffinity"):
        with server as value:
            yield value
        return
    allowed = _allowed[0] if _allowed else frozenset(os.sched_getaffinity(0))
    client, serving = split_processors(allowed)
    _allowed.append(allowed)
    try:
        os.sched_setaffinity(0, serving)
        with server as value:
            os.sched_setaffinity(0, client)
            yield value
    finally:
        _allowed.pop()
        os.sched_setaffinity(0, client if _allowed else allowed)


@contextmanager
def single_processor() -> Iterator[None]:
    """Keep this thread, and the threads that it starts, on one processor."""
    if not hasattr(os, "sched_setaffinity"):
        raise UnavailableError("this system has no CPU affinity")
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)

"""A server and who asks it on different processors, so that neither computes at the other's cost."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

TOPOLOGY = Path("/sys/devices/system/cpu")


def divided(allowed: frozenset[int]) -> tuple[frozenset[int], frozenset[int]]:
    """One processor for who asks, and for the server all that share no core with it; where each does, all others.

    Of a single processor both have it.
    """
    asking = max(allowed)
    others = allowed - {asking}
    return frozenset({asking}), (others - core_of(asking)) or others or allowed


def core_of(processor: int) -> frozenset[int]:
    """The processors that are one core, as Linux tells it (``0,4`` or ``0-1``); without word of it, the one."""
    try:
        told = (TOPOLOGY / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text(encoding="ascii")
    except OSError:
        return frozenset({processor})
    ends = (part.split("-") for part in told.strip().split(","))
    return frozenset(number for part in ends for number in range(int(part[0]), int(part[-1]) + 1))


@contextmanager
def started_apart(start: AbstractContextManager[T]) -> Iterator[T]:
    """Enter a context that starts a server, which keeps to its processors, and this thread to the other.

    Threads and processes that either starts stay with it. A system that keeps no thread on a processor shares all.
    """
    if not hasattr(os, "sched_setaffinity"):
        with start as value:
            yield value
        return
    allowed = os.sched_getaffinity(0)
    asking, serving = divided(frozenset(allowed))
    try:
        os.sched_setaffinity(0, serving)
        with start as value:
            os.sched_setaffinity(0, asking)
            yield value
    finally:
        os.sched_setaffinity(0, allowed)

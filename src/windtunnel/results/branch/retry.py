"""Trying again: pauses that grow, and differ by chance so that those who collided once do not collide again.

No library: what is tried again is mostly a whole fetch-merge-push that ends in a value, not in an exception, and the
dozen lines that this takes are fewer than the adapter to one.
"""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from windtunnel.errors import RemoteBusyError

T = TypeVar("T")

FIRST, LONGEST = 0.1, 8.0
"""Seconds: upper bounds of the first pause and of any pause."""

PATIENCE = 300.0
"""Seconds; twenty pushers at once on two cores need up to thirty (docs/store.md)."""

MOST_FAILURES = 4
"""Tries in a row that a remote may fail; a race, in contrast, may be lost as often as the patience lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to go on trying, and how to wait; the defaults wait in earnest."""

    seconds: float = PATIENCE
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def tries(self) -> Iterator[int]:
        """Yield 1, 2, 3 … with pauses in between, until the patience is at its end.

        Exponential backoff with full jitter (M. Brooker, Exponential Backoff and Jitter, AWS Architecture Blog, 2015).
        """
        end = self.clock() + self.seconds
        yield 1
        bound = FIRST
        for number in count(2):
            bound = min(LONGEST, bound * 2)
            pause = self.chance() * bound
            if self.clock() + pause > end:
                return
            self.sleep(pause)
            yield number


def reached(patience: Patience, ask: Callable[[], T]) -> T:
    """Return what a remote answers, asked again while it is busy."""
    for number in patience.tries():
        try:
            return ask()
        except RemoteBusyError:
            if number == MOST_FAILURES:
                raise
    return ask()

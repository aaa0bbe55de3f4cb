"""Retry what a remote may accept later, with pauses that grow and vary at random."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from random import SystemRandom
from typing import TypeVar

import stamina

from windtunnel.errors import OutrunError, RemoteBusyError

T = TypeVar("T")

RANDOM = SystemRandom()

logging.getLogger("stamina").addHandler(logging.NullHandler())  # without a handler, each retry prints to stderr

DEFAULT_RETRY_TIMEOUT = 300.0
"""Seconds; twenty concurrent pushers on two cores need up to thirty (docs/how-to/store.md)."""

MIN_PAUSE, MAX_PAUSE = 0.1, 40.0
"""Seconds."""

DEFAULT_RACE_PAUSE = 5.0
"""Seconds: at most five pushes in the first minute, and three in a later one. GitHub recommends at most six a minute
(docs.github.com, "Repository limits")."""

MAX_FAILURES = 4
"""Attempts in a row that may fail because the remote is busy; lost races do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How long to retry."""

    timeout: float = DEFAULT_RETRY_TIMEOUT
    """Seconds after which no further attempt begins; 0 allows one attempt."""
    race_pause: float = DEFAULT_RACE_PAUSE
    """Seconds to wait at least after the first push that came second; later pauses are longer."""
    max_pause: float = MAX_PAUSE
    """Seconds between two attempts, at most."""

    def pause_after(self, races: int) -> float:
        """Return the seconds to wait after this many lost races, at random, so that concurrent pushers spread out."""
        longest: float = self.race_pause * 2.0 ** min(races, 3)
        return min(self.max_pause, RANDOM.uniform(longest / 2, longest))

    def call(self, action: Callable[[], T], *, max_failures: int = MAX_FAILURES) -> T:
        """Return what *action* returns, calling it again after a RemoteBusyError.

        A lost race (OutrunError) is retried until the timeout, any other RemoteBusyError *max_failures* - 1 times in a
        row. Raises the last error.
        """
        failures = races = 0

        def is_transient(error: Exception) -> bool | float:
            nonlocal failures, races
            if isinstance(error, OutrunError):
                failures, races = 0, races + 1
                return self.pause_after(races)
            failures += 1
            return isinstance(error, RemoteBusyError) and failures < max_failures

        attempts = stamina.retry_context(
            on=is_transient,
            attempts=None if self.timeout else 1,
            timeout=self.timeout or None,
            wait_initial=MIN_PAUSE,
            wait_max=self.max_pause,
        )
        for attempt in attempts:
            with attempt:
                return action()
        raise AssertionError("stamina raises the last error")

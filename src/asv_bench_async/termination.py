"""SIGTERM, which asv sends to a benchmark that is over time, one second before it kills."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def orderly() -> Iterator[None]:
    """Turn SIGTERM into SystemExit, so that teardowns still run; a handler of the suite's own stays."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    owner = os.getpid()

    def leave(number: int, _frame: object) -> NoReturn:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if os.getpid() != owner:  # a forked child dies as it would have
            os.kill(os.getpid(), signal.SIGTERM)
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        if os.getpid() == owner:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

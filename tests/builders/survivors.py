"""Processes that should have ended."""

import time

import psutil

POLL_INTERVAL = 0.02
"""Seconds between looks."""


def survivors(processes, timeout=60):
    """Return those of *processes* that have not ended after *timeout* seconds.

    A zombie has ended: it holds no memory, port or file. Some init processes collect zombies only every few seconds.
    """
    deadline = time.monotonic() + timeout
    while (running := [one for one in processes if _runs(one)]) and time.monotonic() < deadline:
        time.sleep(POLL_INTERVAL)
    return running


def _runs(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

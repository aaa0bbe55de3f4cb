"""Ends a pool's process when its parent ends. Each such process imports this module, so it imports almost nothing."""

import os
from contextlib import suppress
from threading import Thread


def watch_parent() -> None:
    """End this process when its parent ends: a pool's processes do not."""
    Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Block until the parent has ended, also by ``kill -9``, and end this process."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def watch_process(pid: int) -> None:
    """End this process when the process *pid*, which started it, ends (on Linux): joblib's would stay for minutes."""
    if hasattr(os, "pidfd_open"):
        Thread(target=end_with_process, args=(pid,), daemon=True).start()


def end_with_process(pid: int) -> None:
    """Block until the process *pid*, which started this one, has ended, and end this one."""
    from select import select

    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        if os.getppid() == pid:  # otherwise it has ended, and another process may have its number
            select([descriptor], [], [])
    os._exit(1)

"""Ends a pool's process when its parent ends. Each such process imports this module, so it imports almost nothing."""

import os
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

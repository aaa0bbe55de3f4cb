"""The checker that a variant leaves nothing open."""

import asyncio
import gc
import os
import tempfile
import threading
import time
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

import psutil
import pytest
import uvloop
from joblib.externals.loky.backend import resource_tracker as loky_tracker

from windtunnel_scenarios.support.pools import keep_temporary_folder


@pytest.fixture
def nothing_left_open(tmp_path, monkeypatch):
    """A context manager that fails when its body leaves anything open, and names it."""
    keep_temporary_folder()
    resource_tracker.ensure_running()  # two helpers of multiprocessing, one of each in a process;
    forkserver.ensure_running()  # they start when first needed and end with the process
    loky_tracker.ensure_running()  # joblib's counterpart of the first
    uvloop.new_event_loop().close()  # libuv keeps a pair of pipes for all its loops
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    @contextmanager
    def checker():
        gc.freeze()  # only loops and tasks created from now on are looked for
        before = open_things(tmp_path)
        try:
            yield
        finally:
            gc.collect()
            left = sorted(open_things(tmp_path) - before)
            deadline = time.monotonic() + 10
            while left and all(is_of_grpc(each) for each in left) and time.monotonic() < deadline:
                time.sleep(0.05)  # its threads end, and close what they poll, a moment after the last channel
                left = sorted(open_things(tmp_path) - before)
            gc.unfreeze()
            if left:
                pytest.fail(f"left open: {', '.join(left)}")

    return checker


def open_things(folder):
    """Name the threads, descriptors, processes, loops, tasks, files in ``folder``, and this thread's CPU affinity."""
    things = {f"thread {thread.name} ({thread.ident})" for thread in threading.enumerate()}
    things |= set(descriptors())
    things |= {f"process {child.pid}" for child in psutil.Process().children(recursive=True) if not is_backend(child)}
    things |= {f"file {path}" for path in Path(folder).rglob("*")}
    things.add(f"processors {sorted(os.sched_getaffinity(0))}")
    for thing in gc.get_objects():
        if issubclass(type(thing), asyncio.AbstractEventLoop) and not thing.is_closed():
            things.add(f"loop {id(thing)}")
        elif issubclass(type(thing), asyncio.Task) and not thing.done():
            things.add(f"task {id(thing)}")
    return things


def is_of_grpc(thing):
    """Whether it is what threads of grpc's core poll, or the thread that wakes the loop of ``grpc.aio``."""
    return "anon_inode:" in thing or "_poll_wrapper" in thing


def is_backend(process):
    """Whether PostgreSQL started a process for a connection: it ends a moment later. The server itself is none."""
    try:
        return process.name() == process.parent().name() == "postgres"
    except (psutil.NoSuchProcess, AttributeError):
        return True  # it has ended


def descriptors():
    """Files, sockets and pipes of this process."""
    for path in Path("/dev/fd").iterdir():
        try:
            yield f"descriptor {path.name} {path.readlink()}"
        except OSError:
            continue  # the descriptor that listed the folder

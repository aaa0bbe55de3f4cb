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
            while any(is_of_grpc(each) for each in left) and time.monotonic() < deadline:
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
    things |= {f"process {pid}" for pid in started_by("self")}
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


def started_by(pid):
    """Processes that a process has started, and what they have started; without those of PostgreSQL's connections.

    It ends such a process a moment after the connection. The server itself counts, and nothing that has ended.
    """
    for child in children(pid):
        if name(child) not in ("", "postgres" if name(pid) == "postgres" else ""):
            yield child
            yield from started_by(child)


def children(pid):
    """The processes that a process has started: psutil would read all processes of the machine, hundreds of times."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            yield from task.read_text().split()
        except OSError:
            continue  # the thread or the process has ended


def name(pid):
    """The name of a process, or nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def descriptors():
    """Files, sockets and pipes of this process."""
    for path in Path("/dev/fd").iterdir():
        try:
            yield f"descriptor {path.name} {path.readlink()}"
        except OSError:
            continue  # the descriptor that listed the folder

"""What the studied project does: jobs of milliseconds whose cost follows their size, which is where changes go."""

import asyncio
import hashlib
import json
import math
import os
import re
import tempfile
import time
from pathlib import Path

from studied.injected import FACTORS

_loops = []


def size(name, usual):
    """The usual size, or what a commit made of it; up to the next whole one, so that no change is less than it says."""
    return math.ceil(usual * FACTORS.get(name, 1.0))


def run(coroutine):
    """On one loop a process, made at first use: starting one each time would dilute what was injected."""
    if not _loops:
        _loops.append(asyncio.new_event_loop())
    return _loops[0].run_until_complete(coroutine)


def cpu_add():
    total = 0
    for number in range(size("cpu_add", 60_000)):
        total += number & 7
    return total


def cpu_float():
    value = 1.0
    for _ in range(size("cpu_float", 60_000)):
        value = value * 1.000001 + 0.5
    return value


def cpu_text():
    return ",".join([str(number) for number in range(size("cpu_text", 20_000))])


def cpu_dict():
    counts = {}
    for number in range(size("cpu_dict", 40_000)):
        counts[number % 997] = counts.get(number % 997, 0) + 1
    return counts


def cpu_sort():
    return [sorted((number * 7919) % 1009 for number in range(500)) for _ in range(size("cpu_sort", 60))]


def cpu_match():
    pattern = re.compile(r"(\d+)-(\w+)")
    return [pattern.match("1234-abcd") for _ in range(size("cpu_match", 12_000))]


def cpu_json():
    return [json.loads('{"a": [1, 2, 3], "b": {"c": null}}') for _ in range(size("cpu_json", 2_000))]


def cpu_hash():
    return [hashlib.sha256(b"x" * 4096).digest() for _ in range(size("cpu_hash", 800))]


def allocate_lists():
    return [[number] for number in range(size("allocate_lists", 60_000))]


def allocate_bytes():
    return [bytes(512) for _ in range(size("allocate_bytes", 40_000))]


def allocate_objects():
    return [Thing(number) for number in range(size("allocate_objects", 20_000))]


def allocate_dicts():
    return [{"number": number} for number in range(size("allocate_dicts", 30_000))]


def allocate_pages():
    return [bytearray(64 * 1024) for _ in range(size("allocate_pages", 400))]


class Thing:
    """An object with a dictionary."""

    def __init__(self, number):
        self.number = number


def sleep_short():
    time.sleep(size("sleep_short", 19) / 1000)


def sleep_long():
    time.sleep(size("sleep_long", 38) / 1000)


def coroutine_sleep():
    run(asyncio.sleep(size("coroutine_sleep", 19) / 1000))


def coroutine_await():
    async def nothing():
        return None

    async def main():
        for _ in range(size("coroutine_await", 60_000)):
            await nothing()

    run(main())


def coroutine_switch():
    async def main():
        for _ in range(size("coroutine_switch", 1_000)):
            await asyncio.sleep(0)

    run(main())


def coroutine_gather():
    async def one():
        await asyncio.sleep(0)

    async def main():
        await asyncio.gather(*(one() for _ in range(size("coroutine_gather", 800))))

    run(main())


def coroutine_queue():
    async def main():
        queue = asyncio.Queue()
        for number in range(size("coroutine_queue", 8_000)):
            queue.put_nowait(number)
            await queue.get()

    run(main())


def file_write():
    with tempfile.TemporaryFile() as file:
        for _ in range(size("file_write", 2_000)):
            file.write(b"x" * 4096)


def file_read():
    with Path(os.devnull).with_name("zero").open("rb", buffering=0) as file:
        for _ in range(size("file_read", 6_000)):
            file.read(4096)


def file_stat():
    for _ in range(size("file_stat", 4_000)):
        Path(os.devnull).stat()


def file_open():
    for _ in range(size("file_open", 500)):
        with Path(os.devnull).open("rb"):
            pass


JOBS = tuple(
    sorted(name for name in globals() if name.partition("_")[0] in {"cpu", "allocate", "sleep", "coroutine", "file"})
)

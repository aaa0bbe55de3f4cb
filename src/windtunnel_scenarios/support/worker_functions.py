"""Functions that workers call. New processes and interpreters import this module, so it imports little."""

import os
import random
import sys
from random import Random
from time import thread_time
from typing import TYPE_CHECKING

from windtunnel_scenarios.support.parent_watch import watch_parent

if TYPE_CHECKING:
    from multiprocessing.synchronize import Semaphore

START_TIMEOUT = 60.0
"""Seconds after which workers that did not start are an error."""


def sum_below(bound: int) -> int:
    """Add up the numbers below a bound in a loop."""
    result = 0
    for number in range(bound):
        result += number
    return result


def compute_for(milliseconds: float) -> None:
    """Compute for so much processor time of this thread: as long on a fast Python as on a slow one."""
    end = thread_time() + milliseconds / 1_000
    while thread_time() < end:
        sum_below(500)


def sum_modulo(bound: int) -> int:
    """Add up the remainders by seven of the numbers below a bound."""
    result = 0
    for number in range(bound):
        result += number % 7
    return result


def convert_json(count: int) -> int:
    """Write a document as JSON and read it so many times; return how many of its entries were read."""
    import json

    document = {"entries": [{"name": f"entry {number}", "price": number / 4} for number in range(20)]}
    return sum(len(json.loads(json.dumps(document))["entries"]) for _ in range(count))


def check_gil() -> None:
    """Raise RuntimeError where the GIL of a free-threaded Python is on: importing some libraries turns it on."""
    if is_gil_misplaced():
        raise RuntimeError(
            "the GIL of this free-threaded Python is on: set PYTHON_GIL=0, or find the library that did it"
        )


def is_gil_misplaced() -> bool:
    """Whether this is a free-threaded Python whose GIL is on."""
    import sysconfig

    return bool(sysconfig.get_config_var("Py_GIL_DISABLED")) and sys._is_gil_enabled()  # type: ignore[attr-defined]  # noqa: SLF001 - the documented way


def sum_remainders(divisor: int, iterations: int) -> int:
    """Add up the remainders of 99 % of the numbers below a bound, chosen by a generator of this call's own."""
    draw = Random(divisor).random
    result = 0
    for number in range(iterations):
        if draw() < 0.99:
            result += number % divisor
    return result


def sum_remainders_shared(divisor: int, iterations: int) -> int:
    """Do the same with the generator of the module ``random``, which all threads of a process share."""
    result = 0
    for number in range(iterations):
        if random.random() < 0.99:
            result += number % divisor
    return result


def return_bytes(content: bytes) -> bytes:
    """Return what the worker was given."""
    return content


def begin_process(arrived: "Semaphore", go: "Semaphore") -> None:
    """Wait in a new process until all have started, and end when the parent ends."""
    watch_parent()
    arrived.release()
    go.acquire(timeout=START_TIMEOUT)


def report_and_wait(arrived: int, going: int) -> None:
    """Report in a new interpreter that it runs, and wait for the signal. Interpreters share descriptors, not locks."""
    os.write(arrived, b".")
    os.read(going, 1)

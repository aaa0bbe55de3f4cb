"""The process that ``fresh`` watches: prints what it holds, does the job, prints what became of it; then ends.

Run with the module of a job and the job's arguments; the module's ``job`` is a context manager that opens clients,
warms them up and yields what is to be measured: a function that returns the outcome and by how many bytes it grew.
"""

import gc
import json
import os
import sys
from importlib import import_module
from threading import Thread
from time import perf_counter

from windtunnel_scenarios.support.procfs import reset_peak, resident


def main(module: str, *arguments: str) -> None:
    """Do the job of a module once."""
    Thread(target=end_with_parent, daemon=True).start()
    with import_module(module).job(*arguments) as measured:
        gc.collect()
        reset_peak()
        say(str(resident(os.getpid())))
        start = perf_counter()
        outcome, growth = measured()
        say(json.dumps({"seconds": perf_counter() - start, "growth": growth, "outcome": outcome}))


def say(line: str) -> None:
    """Tell the process that watches."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def end_with_parent() -> None:
    """Wait for the end of standard input, which is the parent's end as well, and end."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])

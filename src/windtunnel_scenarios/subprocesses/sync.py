"""One program after the other."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.subprocesses import COMMAND, Programs


@contextmanager
def prepare(load: Programs) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        return tuple(ended(number) for number in range(load.count))

    yield run


def ended(_: int) -> int:
    """The exit code of one more program."""
    return subprocess.run([COMMAND], stdin=subprocess.DEVNULL, check=False).returncode

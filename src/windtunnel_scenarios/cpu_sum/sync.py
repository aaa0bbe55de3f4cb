"""One sum after the other in a plain function."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Sums) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        return tuple(total(load.bound) for _ in range(load.count))

    yield run


def total(bound: int) -> int:
    """Add up in a loop, one number at a time."""
    result = 0
    for number in range(bound):
        result += number
    return result

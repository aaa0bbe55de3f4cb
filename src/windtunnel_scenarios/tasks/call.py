"""A plain function called for each unit."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.model import Outcome, Run
from windtunnel_scenarios.tasks import Units


@contextmanager
def prepare(load: Units) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        return (sum([unit(number) for number in range(load.count)]),)

    yield run


def unit(number: int) -> int:
    """No work."""
    return number

"""One job after the other in a plain function."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from windtunnel_scenarios.cpu_modulo import JOBS, Remainders
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Remainders) -> Iterator[Run]:
    """Nothing to open."""

    def run() -> Outcome:
        return (sum([remainders(divisor, load.iterations) for divisor in JOBS]),)

    yield run


def remainders(divisor: int, iterations: int) -> int:
    """Add up the remainders of 99 % of the numbers; the generator is this job's own."""
    random = Random(divisor).random
    result = 0
    for number in range(iterations):
        if random() < 0.99:
            result += number % divisor
    return result

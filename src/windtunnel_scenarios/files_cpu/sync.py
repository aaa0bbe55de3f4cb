"""The files one after the other, then the sums."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel_scenarios.cpu_sum.sync import total
from windtunnel_scenarios.files import Writes
from windtunnel_scenarios.files.plain import write
from windtunnel_scenarios.files.targets import targets
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import Outcome, Run


@contextmanager
def prepare(load: Mixed[Writes]) -> Iterator[Run]:
    """The files."""
    with targets(load.waits) as files:

        def run() -> Outcome:
            waited = tuple(write(path, files.data, load.waits.durable) for path in files.paths)
            return waited + tuple(total(load.sums.bound) for _ in range(load.sums.count))

        yield run

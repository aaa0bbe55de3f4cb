"""The files one after the other, then the sums."""

from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.scenarios.contract import Outcome, Run
from windtunnel.scenarios.cpu_sum.sync import total
from windtunnel.scenarios.files import Writes
from windtunnel.scenarios.files.plain import write
from windtunnel.scenarios.files.targets import targets
from windtunnel.scenarios.mixed import Mixed


@contextmanager
def prepare(load: Mixed[Writes]) -> Iterator[Run]:
    """The files."""
    with targets(load.waits) as files:

        def run() -> Outcome:
            waited = tuple(write(path, files.data, load.waits.durable) for path in files.paths)
            return waited + tuple(total(load.sums.bound) for _ in range(load.sums.count))

        yield run

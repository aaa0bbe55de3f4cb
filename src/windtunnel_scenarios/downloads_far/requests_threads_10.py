"""All requests at once from 10 threads that share one ``requests.Session``."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from windtunnel_scenarios.downloads_far import Far
from windtunnel_scenarios.downloads_far.program import Program, far_away, main
from windtunnel_scenarios.downloads_far.threaded import from_threads


@contextmanager
def prepare(load: Far) -> Iterator[Program]:
    """The server and the line."""
    with far_away(load, __name__) as run:
        yield run


if __name__ == "__main__":
    main(partial(from_threads, 10))

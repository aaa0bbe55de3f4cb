"""All pages at once from up to 100 greenlets that share one ``requests.Session``, patched by gevent."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.scrape import Days
from windtunnel_scenarios.scrape.scraped import scraped, weighed

GREENLETS = 100


@contextmanager
def prepare(load: Days) -> Iterator[Watched]:
    """The server; nothing is patched in this process."""
    with scraped(load, __name__) as run:
        yield run


@contextmanager
def job(url: str, count: str) -> Iterator[Callable[[], tuple[list[int], int]]]:
    """A session, in the client's process, which is patched before it imports sockets."""
    from gevent import monkey  # noqa: PLC0415 - patches what is imported after it

    monkey.patch_all()

    from gevent.pool import Pool  # noqa: PLC0415 - as above

    from windtunnel_scenarios.http.requests_session import session  # noqa: PLC0415 - as above
    from windtunnel_scenarios.scrape.requests_session import get  # noqa: PLC0415 - as above

    with session() as opened:
        get(opened, f"{url}/0")

        pages = [f"{url}/{day}" for day in range(int(count))]
        yield lambda: weighed(lambda: Pool(GREENLETS).map(partial(get, opened), pages))

"""A hundred days of prices, downloaded and added up in a process of its own: how long, and in how much memory."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

LINES = 10_000
"""Prices on a page, about 50 kB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """How many pages, and after how many seconds the server answers with each."""

    name: LoadName
    count: int
    delay: float

    @property
    def outcome(self) -> Outcome:
        """The sum of each day's prices."""
        return tuple(sum(prices(day)) for day in range(self.count))


def prices(day: int) -> range:
    """The prices of a day, in cents."""
    return range(1000 + day, 1000 + day + LINES)


SCRAPE = Scenario(
    name="scrape",
    unwarmed=tuple(LoadName),
    variants=(
        Variant(name="requests_session", needs=("requests",)),
        Variant(name="requests_threads_100", needs=("requests",)),
        Variant(name="gevent_100", needs=("gevent", "requests")),
        Variant(name="aiohttp_shared", needs=("aiohttp",)),
    ),
    loads=(
        Days(name=LoadName.TRIAL, count=5, delay=0.001),
        Days(name=LoadName.QUICK, count=100, delay=0.005),
        Days(name=LoadName.STANDARD, count=100, delay=0.05),
        Days(name=LoadName.ARTICLE, count=100, delay=0.28),
    ),
)

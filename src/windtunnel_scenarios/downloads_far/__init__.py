"""A hundred pages over TLS from a server that is far away, each time by a program of its own: as it was published."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

OPENSSL = "openssl"
"""Makes the server's certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Far:
    """How many requests, and how many seconds a byte takes to the server and back."""

    name: LoadName
    count: int
    round_trip: float

    @property
    def outcome(self) -> Outcome:
        """The bodies: the server waits for nothing, and says so."""
        return ("0",) * self.count


DOWNLOADS_FAR = Scenario(
    name="downloads_far",
    unwarmed=tuple(LoadName),
    variants=(
        Variant(name="requests_session", needs=("requests",), tools=(OPENSSL,)),
        Variant(name="requests_threads_10", needs=("requests",), tools=(OPENSSL,)),
        Variant(name="requests_threads_20", needs=("requests",), tools=(OPENSSL,)),
        Variant(name="aiohttp_shared", needs=("aiohttp",), tools=(OPENSSL,)),
    ),
    loads=(
        Far(name=LoadName.TRIAL, count=3, round_trip=0.002),
        Far(name=LoadName.QUICK, count=20, round_trip=0.03),
        Far(name=LoadName.STANDARD, count=100, round_trip=0.03),
        Far(name=LoadName.ARTICLE, count=100, round_trip=0.125),
    ),
)

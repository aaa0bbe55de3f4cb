"""A small web service that computes where a planet stands, behind servers that people use."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

CONNECTIONS = 20

MARS = '{"ra": 4.392284, "dec": -0.392699}'
"""What the service answers: for Mars at the start of 2022, in radians."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visits:
    """How many requests, over 20 connections."""

    name: LoadName
    count: int
    keep: bool = True
    """Whether a connection outlives its request, where the server lets it."""

    @property
    def outcome(self) -> Outcome:
        """The body of each answer."""
        return (MARS,) * self.count


VARIANTS = (
    Variant(name="aiohttp_dev", needs=("aiohttp", "ephem")),
    Variant(name="flask_dev", needs=("flask", "ephem")),
    Variant(name="aiohttp_gunicorn_1", needs=("aiohttp", "gunicorn", "ephem")),
    Variant(name="flask_gunicorn_1", needs=("flask", "gunicorn", "ephem")),
    Variant(name="aiohttp_gunicorn_4", needs=("aiohttp", "gunicorn", "ephem")),
    Variant(name="flask_gunicorn_4", needs=("flask", "gunicorn", "ephem")),
)

WEB = Scenario(
    name="web",
    unwarmed=(LoadName.ARTICLE,),
    variants=VARIANTS,
    loads=(
        Visits(name=LoadName.TRIAL, count=40),
        Visits(name=LoadName.QUICK, count=500),
        Visits(name=LoadName.STANDARD, count=2_000),
        Visits(name=LoadName.ARTICLE, count=10_000),
    ),
)

WEB_CLOSE = Scenario(
    name="web_close",
    folder="web",
    unwarmed=(LoadName.ARTICLE,),
    variants=VARIANTS,
    loads=(
        Visits(name=LoadName.TRIAL, count=40, keep=False),
        Visits(name=LoadName.QUICK, count=200, keep=False),
        Visits(name=LoadName.STANDARD, count=2_000, keep=False),
        Visits(name=LoadName.ARTICLE, count=10_000, keep=False),
    ),
)

"""A small web service that computes where a planet stands, behind servers that people use."""

from dataclasses import dataclass

from windtunnel.scenarios.contract import LoadName, Outcome, Scenario, Variant

CONNECTIONS = 20

MARS = '{"ra": 4.392284, "dec": -0.392699}'
"""What the service answers: for Mars at the start of 2022, in radians."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visits:
    """How many requests, over 20 connections."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """The body of each answer."""
        return (MARS,) * self.count


WEB = Scenario(
    name="web",
    variants=(
        Variant(name="aiohttp_dev", needs=("aiohttp", "ephem")),
        Variant(name="flask_dev", needs=("flask", "ephem")),
        Variant(name="aiohttp_gunicorn_1", needs=("aiohttp", "gunicorn", "ephem")),
        Variant(name="flask_gunicorn_1", needs=("flask", "gunicorn", "ephem")),
        Variant(name="aiohttp_gunicorn_4", needs=("aiohttp", "gunicorn", "ephem")),
        Variant(name="flask_gunicorn_4", needs=("flask", "gunicorn", "ephem")),
    ),
    loads=(
        Visits(name=LoadName.TRIAL, count=40),
        Visits(name=LoadName.QUICK, count=500),
        Visits(name=LoadName.STANDARD, count=2_000),
        Visits(name=LoadName.ARTICLE, count=10_000),
    ),
)

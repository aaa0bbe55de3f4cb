"""Many timers that end at about the same time: what the loop's clockwork costs."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Timers:
    """How many, each of ``period`` seconds."""

    name: LoadName
    count: int
    period: float

    @property
    def outcome(self) -> Outcome:
        """How many rang."""
        return (self.count,)


TIMERS = Scenario(
    name="timers",
    variants=(
        Variant(name="asyncio_sleep"),
        Variant(name="uvloop_sleep", needs=("uvloop",)),
    ),
    loads=(
        Timers(name=LoadName.TRIAL, count=10, period=0.001),
        Timers(name=LoadName.QUICK, count=2_000, period=0.001),
        Timers(name=LoadName.STANDARD, count=10_000, period=0.001),
        Timers(name=LoadName.ARTICLE, count=100_000, period=0.001),
    ),
)

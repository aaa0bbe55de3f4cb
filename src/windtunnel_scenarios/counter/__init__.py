"""Four workers that count: each for itself, or all in one place that a lock keeps; what sharing costs threads."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

WORKERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How far each worker counts."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """What all have counted together."""
        return (self.count * WORKERS,)


COUNTER = Scenario(
    name="counter",
    variants=(
        Variant(name="sync"),
        Variant(name="threads_own"),
        Variant(name="threads_shared"),
    ),
    loads=(
        Counts(name=LoadName.TRIAL, count=100),
        Counts(name=LoadName.QUICK, count=20_000),
        Counts(name=LoadName.STANDARD, count=200_000),
        Counts(name=LoadName.ARTICLE, count=2_000_000),
    ),
)

"""A producer hands items to a consumer, one at a time: what queues cost."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """How many."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """The sum of the items, by the consumer."""
        return (sum(range(self.count)),)


HANDOVER = Scenario(
    name="handover",
    variants=(
        Variant(name="asyncio_queue"),
        Variant(name="queue"),
        Variant(name="simple_queue"),
    ),
    loads=(
        Items(name=LoadName.TRIAL, count=10),
        Items(name=LoadName.QUICK, count=1_000),
        Items(name=LoadName.STANDARD, count=20_000),
        Items(name=LoadName.ARTICLE, count=100_000),
    ),
)

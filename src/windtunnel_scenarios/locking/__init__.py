"""Taking a lock and giving it back, which nobody else wants."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """How often."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """How often the lock was taken."""
        return (self.count,)


LOCKING = Scenario(
    name="locking",
    variants=(
        Variant(name="asyncio_lock"),
        Variant(name="asyncio_semaphore"),
        Variant(name="threading_lock"),
        Variant(name="threading_semaphore"),
    ),
    loads=(
        Turns(name=LoadName.TRIAL, count=10),
        Turns(name=LoadName.QUICK, count=10_000),
        Turns(name=LoadName.STANDARD, count=100_000),
        Turns(name=LoadName.ARTICLE, count=1_000_000),
    ),
)

"""Going to a thread and back, again and again: what each bridge between loop and threads costs."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossings:
    """How often, one after the other."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """Each crossing brings its number: their sum."""
        return (sum(range(self.count)),)


CROSSING = Scenario(
    name="crossing",
    variants=(
        Variant(name="submit"),
        Variant(name="to_thread"),
        Variant(name="run_in_executor"),
        Variant(name="run_coroutine_threadsafe"),
    ),
    loads=(
        Crossings(name=LoadName.TRIAL, count=10),
        Crossings(name=LoadName.QUICK, count=1_000),
        Crossings(name=LoadName.STANDARD, count=10_000),
        Crossings(name=LoadName.ARTICLE, count=10_000),
    ),
)

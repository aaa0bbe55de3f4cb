"""Two units of work that wake each other in turn: what a switch costs."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """How often each is woken."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """How often each of the two was woken."""
        return (self.count, self.count)


SWITCHING = Scenario(
    name="switching",
    variants=(
        Variant(name="tasks"),
        Variant(name="uvloop_tasks", needs=("uvloop",)),
        Variant(name="threads"),
    ),
    loads=(
        Switches(name=LoadName.TRIAL, count=10),
        Switches(name=LoadName.QUICK, count=1_000),
        Switches(name=LoadName.STANDARD, count=10_000),
        Switches(name=LoadName.ARTICLE, count=100_000),
    ),
)

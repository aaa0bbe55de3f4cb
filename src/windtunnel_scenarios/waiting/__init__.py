"""Units of concurrency that do nothing but wait, started in a process of its own: how much memory they take."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """How many were waiting at the same time."""
        return (self.count,)


WAITING = Scenario(
    name="waiting",
    unwarmed=tuple(LoadName),
    variants=(
        Variant(name="threads"),
        Variant(name="greenlets", needs=("gevent",)),
        Variant(name="tasks"),
        Variant(name="tasks_five_deep"),
    ),
    loads=(
        Waiting(name=LoadName.TRIAL, count=10),
        Waiting(name=LoadName.QUICK, count=1_000),
        Waiting(name=LoadName.STANDARD, count=5_000),
        Waiting(name=LoadName.ARTICLE, count=10_000),
    ),
)

WAITING_HEAVY = Scenario(
    name="waiting_heavy",
    folder="waiting",
    unwarmed=tuple(LoadName),
    variants=(
        Variant(name="threads"),
        Variant(name="interpreters", needs=("concurrent.interpreters",)),
        Variant(name="processes_fork"),
        Variant(name="processes_spawn"),
    ),
    loads=(
        Waiting(name=LoadName.TRIAL, count=2),
        Waiting(name=LoadName.QUICK, count=4),
        Waiting(name=LoadName.STANDARD, count=20),
        Waiting(name=LoadName.ARTICLE, count=100),
    ),
)

"""Starting many units of work that do nothing: what each way of starting one costs."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """How many."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """Each unit returns its number: their sum."""
        return (sum(range(self.count)),)


TASKS = Scenario(
    name="tasks",
    variants=(
        Variant(name="call"),
        Variant(name="await_each"),
        Variant(name="create_task"),
        Variant(name="gather"),
        Variant(name="task_group"),
        Variant(name="eager_tasks", since=(3, 12)),
        Variant(name="timeout"),
        Variant(name="wait_for"),
        Variant(name="uvloop_gather", needs=("uvloop",)),
        Variant(name="threads"),
    ),
    loads=(
        Units(name=LoadName.TRIAL, count=10),
        Units(name=LoadName.QUICK, count=5_000),
        Units(name=LoadName.STANDARD, count=20_000),
        Units(name=LoadName.ARTICLE, count=100_000),
    ),
)

"""A pool opened, used once by each worker, and closed: what a cold start costs."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

SUMS = 3
"""As many workers as the pools of ``cpu_sum`` have, so that it can be said from how much computing on a pool pays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How many."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """How many workers there were."""
        return (self.count,)


POOL_START = Scenario(
    name="pool_start",
    variants=(
        Variant(name="threads"),
        Variant(name="processes_fork"),
        Variant(name="processes_forkserver"),
        Variant(name="processes_spawn"),
        Variant(name="joblib", needs=("joblib",)),
        Variant(name="interpreters", needs=("concurrent.futures.interpreter",)),
    ),
    loads=(
        Workers(name=LoadName.TRIAL, count=2),
        Workers(name=LoadName.QUICK, count=SUMS),
        Workers(name=LoadName.STANDARD, count=SUMS),
        Workers(name=LoadName.ARTICLE, count=SUMS),
    ),
)

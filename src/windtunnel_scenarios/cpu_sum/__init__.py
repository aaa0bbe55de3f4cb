"""Adding up the numbers below a bound, several times: work that never waits."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """How many sums, each of the numbers below ``bound``."""

    name: LoadName
    count: int
    bound: int

    @property
    def outcome(self) -> Outcome:
        """Each sum, from Gauss's formula."""
        return (self.bound * (self.bound - 1) // 2,) * self.count


CPU_SUM = Scenario(
    name="cpu_sum",
    variants=(
        Variant(name="sync"),
        Variant(name="async_sequential"),
        Variant(name="gather"),
        Variant(name="asyncio_run"),
        Variant(name="to_thread"),
        Variant(name="threads"),
        Variant(name="processes_fork"),
        Variant(name="processes_forkserver"),
        Variant(name="processes_spawn"),
        Variant(name="interpreters", needs=("concurrent.futures.interpreter",)),
    ),
    loads=(
        Sums(name=LoadName.TRIAL, count=3, bound=1_000),
        Sums(name=LoadName.QUICK, count=3, bound=1_000_000),
        Sums(name=LoadName.STANDARD, count=3, bound=10_000_000),
        Sums(name=LoadName.ARTICLE, count=3, bound=10_000_000),
    ),
)

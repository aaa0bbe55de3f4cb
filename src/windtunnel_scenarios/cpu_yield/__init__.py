"""Sums in coroutines that let the others run every so often: what a yield to the loop costs."""

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.model import LoadName, Scenario, Variant

CPU_YIELD = Scenario(
    name="cpu_yield",
    variants=(
        Variant(name="never"),
        Variant(name="every_10000"),
        Variant(name="every_1000"),
        Variant(name="every_100"),
        Variant(name="every_10"),
        Variant(name="every_1"),
    ),
    loads=(
        Sums(name=LoadName.TRIAL, count=3, bound=1_000),
        Sums(name=LoadName.QUICK, count=3, bound=30_000),
        Sums(name=LoadName.STANDARD, count=3, bound=300_000),
        Sums(name=LoadName.ARTICLE, count=3, bound=1_000_000),
    ),
)

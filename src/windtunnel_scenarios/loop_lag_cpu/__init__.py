"""What else the loop gets done while something adds up: how late the worst of its other tasks runs."""

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.model import LoadName, Scenario, Variant

LOOP_LAG_CPU = Scenario(
    name="loop_lag_cpu",
    variants=(
        Variant(name="on_the_loop"),
        Variant(name="yielding"),
        Variant(name="to_thread"),
        Variant(name="processes_spawn"),
        Variant(name="interpreters", needs=("concurrent.futures.interpreter",)),
    ),
    loads=(
        Sums(name=LoadName.TRIAL, count=1, bound=1_000),
        Sums(name=LoadName.QUICK, count=1, bound=1_000_000),
        Sums(name=LoadName.STANDARD, count=3, bound=1_000_000),
        Sums(name=LoadName.ARTICLE, count=3, bound=10_000_000),
    ),
)

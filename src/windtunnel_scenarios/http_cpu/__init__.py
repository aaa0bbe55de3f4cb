"""Three slow requests and three sums: how much of the computing hides behind the waiting."""

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.http import Requests
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import LoadName, Scenario, Variant


def mixed(name: LoadName, delay: float, bound: int) -> Mixed[Requests]:
    """Three sums beside the waiting."""
    return Mixed(
        name=name,
        waits=Requests(name=name, count=3, delay=delay),
        sums=Sums(name=name, count=3, bound=bound),
    )


VARIANTS = (
    Variant(name="sync"),
    Variant(name="gather", needs=("aiohttp",)),
    Variant(name="yielding", needs=("aiohttp",)),
    Variant(name="to_thread", needs=("aiohttp",)),
    Variant(name="processes", needs=("aiohttp",)),
)

HTTP_CPU = Scenario(
    name="http_cpu",
    variants=VARIANTS,
    loads=(
        mixed(LoadName.TRIAL, 0.001, 1_000),
        mixed(LoadName.QUICK, 0.2, 100_000),
        mixed(LoadName.STANDARD, 1.0, 100_000),
        mixed(LoadName.ARTICLE, 1.0, 100_000),
    ),
)

HTTP_CPU_TENTH = Scenario(
    name="http_cpu_tenth",
    folder="http_cpu",
    variants=VARIANTS,
    loads=(
        mixed(LoadName.TRIAL, 0.001, 1_000),
        mixed(LoadName.QUICK, 0.2, 200_000),
        mixed(LoadName.STANDARD, 1.0, 1_000_000),
        mixed(LoadName.ARTICLE, 1.0, 1_000_000),
    ),
)

HTTP_CPU_HEAVY = Scenario(
    name="http_cpu_heavy",
    folder="http_cpu",
    variants=VARIANTS,
    loads=(
        mixed(LoadName.TRIAL, 0.001, 1_000),
        mixed(LoadName.QUICK, 0.2, 1_000_000),
        mixed(LoadName.STANDARD, 1.0, 10_000_000),
        mixed(LoadName.ARTICLE, 1.0, 10_000_000),
    ),
)

HTTP_CPU_DOUBLE = Scenario(
    name="http_cpu_double",
    folder="http_cpu",
    variants=VARIANTS,
    loads=(
        mixed(LoadName.TRIAL, 0.001, 1_000),
        mixed(LoadName.QUICK, 0.1, 1_000_000),
        mixed(LoadName.STANDARD, 0.5, 10_000_000),
        mixed(LoadName.ARTICLE, 0.5, 10_000_000),
    ),
)

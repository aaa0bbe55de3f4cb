"""Three slow queries and three sums: how much of the computing hides behind the waiting."""

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import LoadName, Scenario, Variant
from windtunnel_scenarios.sqlite import Queries


def mixed(name: LoadName, period: float, bound: int) -> Mixed[Queries]:
    """Three sums beside the waiting."""
    return Mixed(
        name=name,
        waits=Queries(name=name, periods=(period,) * 3),
        sums=Sums(name=name, count=3, bound=bound),
    )


SQLITE_CPU = Scenario(
    name="sqlite_cpu",
    variants=(
        Variant(name="sync", needs=("_sqlite3",)),
        Variant(name="gather", needs=("_sqlite3", "aiosqlite")),
        Variant(name="to_thread", needs=("_sqlite3", "aiosqlite")),
        Variant(name="processes", needs=("_sqlite3", "aiosqlite")),
    ),
    loads=(
        mixed(LoadName.TRIAL, 0.001, 1_000),
        mixed(LoadName.QUICK, 0.2, 100_000),
        mixed(LoadName.STANDARD, 1.0, 100_000),
        mixed(LoadName.ARTICLE, 1.0, 100_000),
    ),
)


SQLITE_CPU_HEAVY = Scenario(
    name="sqlite_cpu_heavy",
    folder="sqlite_cpu",
    variants=(
        Variant(name="sync", needs=("_sqlite3",)),
        Variant(name="gather", needs=("_sqlite3", "aiosqlite")),
        Variant(name="to_thread", needs=("_sqlite3", "aiosqlite")),
        Variant(name="processes", needs=("_sqlite3", "aiosqlite")),
    ),
    loads=(
        mixed(LoadName.TRIAL, 0.001, 1_000),
        mixed(LoadName.QUICK, 0.2, 1_000_000),
        mixed(LoadName.STANDARD, 1.0, 10_000_000),
        mixed(LoadName.ARTICLE, 1.0, 10_000_000),
    ),
)

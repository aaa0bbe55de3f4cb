"""Ten files and three sums: how much of the computing hides behind the writing."""

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.files import MEBIBYTE, Writes
from windtunnel_scenarios.mixed import Mixed
from windtunnel_scenarios.model import LoadName, Scenario, Variant


def mixed(name: LoadName, size: int, bound: int) -> Mixed[Writes]:
    """Three sums beside the waiting."""
    return Mixed(
        name=name,
        waits=Writes(name=name, count=10, size=size),
        sums=Sums(name=name, count=3, bound=bound),
    )


FILES_CPU = Scenario(
    name="files_cpu",
    variants=(
        Variant(name="sync"),
        Variant(name="gather", needs=("aiofiles",)),
        Variant(name="to_thread", needs=("aiofiles",)),
        Variant(name="processes", needs=("aiofiles",)),
    ),
    loads=(
        mixed(LoadName.TRIAL, 1000, 1_000),
        mixed(LoadName.QUICK, 4 * MEBIBYTE, 1_000_000),
        mixed(LoadName.STANDARD, 32 * MEBIBYTE, 10_000_000),
        mixed(LoadName.ARTICLE, 256 * MEBIBYTE, 10_000_000),
    ),
)

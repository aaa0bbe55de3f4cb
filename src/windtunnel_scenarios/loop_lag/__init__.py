"""What else the loop gets done while files are written: how late the worst of its other tasks runs."""

from windtunnel_scenarios.files import MEBIBYTE, Writes
from windtunnel_scenarios.model import LoadName, Scenario, Variant

LOOP_LAG = Scenario(
    name="loop_lag",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
        Variant(name="to_thread"),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000),
        Writes(name=LoadName.QUICK, count=10, size=4 * MEBIBYTE),
        Writes(name=LoadName.STANDARD, count=10, size=32 * MEBIBYTE),
        Writes(name=LoadName.ARTICLE, count=10, size=256 * MEBIBYTE),
    ),
)

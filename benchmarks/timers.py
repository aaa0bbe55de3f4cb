"""Many timers."""

from benchmarks._suite import _Suite


class Timers(_Suite):
    """Variants of ``timers``."""

    scenario = "timers"
    params = (
        ("asyncio_sleep", "uvloop_sleep"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

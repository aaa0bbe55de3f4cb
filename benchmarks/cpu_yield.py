"""Adding up and letting others run."""

from benchmarks._suite import _Suite


class CpuYield(_Suite):
    """Variants of ``cpu_yield``."""

    scenario = "cpu_yield"
    params = (
        ("never", "every_10000", "every_1000", "every_100", "every_10", "every_1"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

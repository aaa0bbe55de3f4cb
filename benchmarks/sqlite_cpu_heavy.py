"""Waiting for queries and adding up as long."""

from benchmarks._suite import _Suite


class SqliteCpuHeavy(_Suite):
    """Variants of ``sqlite_cpu_heavy``."""

    scenario = "sqlite_cpu_heavy"
    params = (
        ("sync", "gather", "to_thread", "processes"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 2

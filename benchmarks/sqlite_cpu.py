"""Waiting for queries and adding up a little."""

from benchmarks._suite import _Suite


class SqliteCpu(_Suite):
    """Variants of ``sqlite_cpu``."""

    scenario = "sqlite_cpu"
    params = (
        ("sync", "gather", "to_thread", "processes"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

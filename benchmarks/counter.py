"""Counting alone and together."""

from benchmarks._suite import _Suite


class Counter(_Suite):
    """Variants of ``counter``."""

    scenario = "counter"
    params = (
        ("sync", "threads_own", "threads_shared"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

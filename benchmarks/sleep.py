"""Waiting three times."""

from benchmarks._suite import _Suite


class Sleep(_Suite):
    """Variants of ``sleep``."""

    scenario = "sleep"
    params = (
        ("sync", "async_sequential", "gather", "task_group", "threads"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

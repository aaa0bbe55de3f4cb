"""Waiting."""

from benchmarks._bases import _Time


class Sleep(_Time):
    """Wait three times."""

    scenario = "sleep"
    variants = ("sync", "async_sequential", "gather", "task_group", "threads")
    version = "1"
    max_samples = 3

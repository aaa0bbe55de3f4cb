"""Waiting for requests and adding up as long."""

from benchmarks._suite import _Suite


class HttpCpuHeavy(_Suite):
    """Variants of ``http_cpu_heavy``."""

    scenario = "http_cpu_heavy"
    params = (
        ("sync", "gather", "yielding", "to_thread", "processes"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 2

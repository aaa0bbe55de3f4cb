"""Waiting for requests and adding up a little."""

from benchmarks._suite import _Suite


class HttpCpu(_Suite):
    """Variants of ``http_cpu``."""

    scenario = "http_cpu"
    params = (
        ("sync", "gather", "yielding", "to_thread", "processes"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

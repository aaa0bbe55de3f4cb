"""Three slow requests and three sums of about twice the wait."""

from benchmarks._suite import _Suite


class HttpCpuDouble(_Suite):
    """Variants of ``http_cpu_double``."""

    scenario = "http_cpu_double"
    params = (
        ("sync", "gather", "yielding", "to_thread", "processes"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 2

"""Three slow requests and three sums of about a tenth of a wait."""

from benchmarks._suite import _Suite


class HttpCpuTenth(_Suite):
    """Variants of ``http_cpu_tenth``."""

    scenario = "http_cpu_tenth"
    params = (
        ("sync", "gather", "yielding", "to_thread", "processes"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 2

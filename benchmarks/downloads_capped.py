"""A hundred downloads from a server that works on five at once."""

from benchmarks._suite import _Suite


class DownloadsCapped(_Suite):
    """Variants of ``downloads_capped``."""

    scenario = "downloads_capped"
    params = (
        ("requests_session", "requests_threads_10", "aiohttp_shared"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

"""One request to a server that takes its time."""

from benchmarks._suite import _Suite


class HttpOne(_Suite):
    """Variants of ``http_one``."""

    scenario = "http_one"
    params = (
        ("urllib", "aiohttp_session_per_request"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

"""Three requests to a server that takes its time."""

from benchmarks._suite import _Suite


class Http(_Suite):
    """Variants of ``http``."""

    scenario = "http"
    params = (
        ("urllib", "requests_session", "httpx_sync", "aiohttp_session_per_request", "aiohttp_shared", "httpx_async"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

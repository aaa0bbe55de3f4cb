"""A hundred downloads."""

from benchmarks._suite import _Suite


class Downloads(_Suite):
    """Variants of ``downloads``."""

    scenario = "downloads"
    params = (
        (
            "requests_session",
            "requests_threads_10",
            "requests_threads_20",
            "aiohttp_session_per_request",
            "aiohttp_shared",
            "aiohttp_limit_5",
            "aiohttp_limit_20",
            "aiohttp_limit_0",
            "aiohttp_uvloop",
            "httpx_async",
        ),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

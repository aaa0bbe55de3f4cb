"""More downloads at once than aiohttp opens connections."""

from benchmarks._suite import _Suite


class DownloadsBeyondLimit(_Suite):
    """Variants of ``downloads_beyond_limit``."""

    scenario = "downloads_beyond_limit"
    params = (
        ("aiohttp_shared", "aiohttp_limit_0"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

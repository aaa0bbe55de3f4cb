"""Lines sent and returned."""

from benchmarks._suite import _Suite


class Echo(_Suite):
    """Variants of ``echo``."""

    scenario = "echo"
    params = (
        ("threads", "asyncio_streams", "uvloop_streams"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

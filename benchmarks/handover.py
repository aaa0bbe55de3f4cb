"""Handing items from a producer to a consumer."""

from benchmarks._suite import _Suite


class Handover(_Suite):
    """Variants of ``handover``."""

    scenario = "handover"
    params = (
        ("asyncio_queue", "queue", "simple_queue"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 5

"""Doing nothing."""

from benchmarks._suite import _Suite


class Harness(_Suite):
    """Variants of ``harness``."""

    scenario = "harness"
    params = (
        ("call", "kept_loop", "asyncio_run", "background_loop"),
        ("quick", "standard"),
    )
    version = "1"
    rounds = 2
    most_samples = 200

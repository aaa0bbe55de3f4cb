"""Pools opened and closed."""

from benchmarks._suite import _Suite


class PoolStart(_Suite):
    """Variants of ``pool_start``."""

    scenario = "pool_start"
    params = (
        ("threads", "processes_fork", "processes_forkserver", "processes_spawn", "joblib", "interpreters"),
        ("quick", "standard", "article"),
    )
    version = "2"
    rounds = 2
    most_samples = 2

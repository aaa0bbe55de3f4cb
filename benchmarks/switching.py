"""Two units of work that wake each other."""

from benchmarks._suite import _Suite


class Switching(_Suite):
    """Variants of ``switching``."""

    scenario = "switching"
    params = (
        ("tasks", "uvloop_tasks", "threads"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 5

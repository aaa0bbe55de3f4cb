"""Going to a thread and back."""

from benchmarks._suite import _Suite


class Crossing(_Suite):
    """Variants of ``crossing``."""

    scenario = "crossing"
    params = (
        ("submit", "to_thread", "run_in_executor", "run_coroutine_threadsafe"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 5

"""Taking a lock that nobody else wants."""

from benchmarks._suite import _Suite


class Locking(_Suite):
    """Variants of ``locking``."""

    scenario = "locking"
    params = (
        ("asyncio_lock", "asyncio_semaphore", "threading_lock", "threading_semaphore"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 5

"""Three slow queries on a database file."""

from benchmarks._suite import _Suite


class Sqlite(_Suite):
    """Variants of ``sqlite``."""

    scenario = "sqlite"
    params = (
        ("sync", "aiosqlite_gather", "threads"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

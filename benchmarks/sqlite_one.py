"""One slow query."""

from benchmarks._suite import _Suite


class SqliteOne(_Suite):
    """Variants of ``sqlite_one``."""

    scenario = "sqlite_one"
    params = (
        ("sync", "aiosqlite_gather"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

"""Inserting many rows."""

from benchmarks._suite import _Suite


class BulkInsert(_Suite):
    """Variants of ``bulk_insert``."""

    scenario = "bulk_insert"
    params = (
        ("row_by_row", "executemany", "aiosqlite_row_by_row", "aiosqlite_executemany"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

"""Inserting rows with a commit for each."""

from benchmarks._suite import _Suite


class RowCommits(_Suite):
    """Variants of ``row_commits``."""

    scenario = "row_commits"
    params = (("sync", "aiosqlite"), ("quick", "standard", "article"))
    version = "1"
    rounds = 2
    most_samples = 3

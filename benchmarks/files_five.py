"""Writing fewer files than the pool has threads."""

from os import sync

from benchmarks._suite import _Suite


class FilesFive(_Suite):
    """Variants of ``files_five``."""

    scenario = "files_five"
    params = (
        ("plain", "aiofiles_gather"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
    between = staticmethod(sync)

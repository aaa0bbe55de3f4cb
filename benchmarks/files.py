"""Writing ten files."""

from benchmarks._suite import _Suite


class Files(_Suite):
    """Variants of ``files``."""

    scenario = "files"
    params = (
        ("plain", "aiofiles_gather", "threads"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

"""Writing one file."""

from benchmarks._suite import _Suite


class FileOne(_Suite):
    """Variants of ``file_one``."""

    scenario = "file_one"
    params = (
        ("plain", "aiofiles_gather"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 5

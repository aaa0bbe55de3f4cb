"""Writing ten files and waiting until the disk has them."""

from benchmarks._suite import _Suite


class FilesDurable(_Suite):
    """Variants of ``files_durable``."""

    scenario = "files_durable"
    params = (
        ("plain", "aiofiles_gather", "threads"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

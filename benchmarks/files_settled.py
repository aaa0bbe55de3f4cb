"""Writing ten files to a disk that has caught up."""

from os import sync

from benchmarks._suite import _Suite


class FilesSettled(_Suite):
    """Variants of ``files_settled``."""

    scenario = "files_settled"
    params = (
        (
            "plain",
            "aiofiles_gather",
            "threads",
            "aiofiles_semaphore_4",
            "aiofiles_semaphore_8",
            "aiofiles_semaphore_12",
        ),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
    between = staticmethod(sync)

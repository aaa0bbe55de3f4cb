"""Writing five files to memory."""

from benchmarks._suite import _Suite


class FilesTmpfs(_Suite):
    """Variants of ``files_tmpfs``."""

    scenario = "files_tmpfs"
    params = (
        (
            "plain",
            "aiofiles_gather",
            "threads",
            "aiofiles_workers_1",
            "aiofiles_workers_2",
            "aiofiles_workers_4",
            "aiofiles_workers_8",
        ),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 5

"""Writing six files to two disks in turn."""

from os import sync

from benchmarks._suite import _Suite


class FilesTwoVolumes(_Suite):
    """Variants of ``files_two_volumes``."""

    scenario = "files_two_volumes"
    params = (
        ("plain", "aiofiles_gather"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
    between = staticmethod(sync)

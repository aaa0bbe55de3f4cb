"""Writing five files without Python."""

from os import sync

from benchmarks._suite import _Suite


class FilesRaw(_Suite):
    """Variants of ``files_raw``."""

    scenario = "files_raw"
    params = (
        ("dd_serial", "dd_parallel", "dd_serial_in_place", "dd_parallel_in_place"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
    between = staticmethod(sync)

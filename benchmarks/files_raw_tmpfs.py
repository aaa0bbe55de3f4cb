"""Writing five files to memory without Python."""

from benchmarks._suite import _Suite


class FilesRawTmpfs(_Suite):
    """Variants of ``files_raw_tmpfs``."""

    scenario = "files_raw_tmpfs"
    params = (
        ("dd_serial", "dd_parallel", "dd_serial_in_place", "dd_parallel_in_place"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

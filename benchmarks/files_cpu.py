"""Writing files and adding up."""

from benchmarks._suite import _Suite


class FilesCpu(_Suite):
    """Variants of ``files_cpu``."""

    scenario = "files_cpu"
    params = (
        ("sync", "gather", "to_thread", "processes"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

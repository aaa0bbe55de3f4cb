"""Starting many programs."""

from benchmarks._suite import _Suite


class Subprocesses(_Suite):
    """Variants of ``subprocesses``."""

    scenario = "subprocesses"
    params = (("sync", "threads", "asyncio_exec", "uvloop_exec"), ("quick", "standard", "article"))
    version = "1"
    rounds = 2
    most_samples = 3

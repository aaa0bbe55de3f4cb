"""Remainders taken at random."""

from time import process_time

from benchmarks._suite import _Suite


class CpuModulo(_Suite):
    """Variants of ``cpu_modulo``."""

    scenario = "cpu_modulo"
    params = (
        (
            "sync",
            "gather",
            "create_task",
            "threads",
            "processes_fork",
            "processes_forkserver",
            "processes_spawn",
            "interpreters",
        ),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3


class CpuModuloProcessor(_Suite):
    """The variants that stay in one process, in seconds of CPU: what a busy neighbour changes least."""

    scenario = "cpu_modulo"
    params = (("sync", "gather", "create_task", "threads"), ("quick", "standard", "article"))
    version = "1"
    rounds = 2
    most_samples = 3
    timer = process_time

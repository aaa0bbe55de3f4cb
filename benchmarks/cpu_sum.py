"""Adding up, without waiting."""

from time import process_time

from benchmarks._suite import _Suite


class CpuSum(_Suite):
    """Variants of ``cpu_sum``."""

    scenario = "cpu_sum"
    params = (
        (
            "sync",
            "async_sequential",
            "gather",
            "asyncio_run",
            "to_thread",
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


class CpuSumProcessor(_Suite):
    """The variants that stay in one process, in seconds of CPU: what a busy neighbour changes least."""

    scenario = "cpu_sum"
    params = (
        ("sync", "async_sequential", "gather", "asyncio_run", "to_thread", "threads"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3
    timer = process_time

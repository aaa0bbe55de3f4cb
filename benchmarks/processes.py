"""Processes and pools of workers."""

from benchmarks._bases import _JobTime, _Time


class PoolStart(_JobTime):
    """Open the first pool of a program, use it once, and close it."""

    scenario = "pool_start"
    variants = ("threads", "processes_fork", "processes_forkserver", "processes_spawn", "joblib", "interpreters")
    version = "4"
    max_samples = 2


class Payload(_Time):
    """Send a kilobyte to a worker and back."""

    scenario = "payload"
    variants = ("threads", "processes_fork", "processes_spawn", "joblib", "interpreters")
    version = "2"
    max_samples = 3


class PayloadLarge(_Time):
    """Send megabytes to a worker and back."""

    scenario = "payload_large"
    variants = ("threads", "processes_fork", "processes_spawn", "joblib", "interpreters")
    version = "2"
    max_samples = 3


class Subprocesses(_Time):
    """Start many programs that end at once."""

    scenario = "subprocesses"
    variants = (
        "sync",
        "threads",
        "asyncio_exec",
        "asyncio_exec_limit_16",
        "uvloop_exec",
        "uvloop_exec_limit_16",
    )
    version = "1"
    max_samples = 3


class PayloadMedium(_Time):
    """Send a hundred kilobytes to a worker and back."""

    scenario = "payload_medium"
    variants = ("threads", "processes_fork", "processes_spawn", "interpreters")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class PayloadCold(_JobTime):
    """Send a kilobyte to the worker of a new pool and back, in a new process."""

    scenario = "payload_cold"
    variants = ("threads", "processes_fork", "processes_forkserver", "processes_spawn", "interpreters")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class PayloadColdLarge(_JobTime):
    """Send megabytes to the worker of a new pool and back, in a new process."""

    scenario = "payload_cold_large"
    variants = ("threads", "processes_fork", "processes_forkserver", "processes_spawn", "interpreters")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class PoolJobs(_JobTime):
    """Compute two sums in a pool that is kept, or opened for them."""

    scenario = "pool_jobs"
    variants = (
        "plain",
        "kept_threads",
        "kept_processes_fork",
        "kept_processes_forkserver",
        "kept_processes_spawn",
        "opened_threads",
        "opened_processes_fork",
        "opened_processes_forkserver",
        "opened_processes_spawn",
    )
    loads = (
        "100k",
        "300k",
        "1m",
        "3m",
        "10m",
        "30m",
        "100k_busy",
        "300k_busy",
        "1m_busy",
        "3m_busy",
        "10m_busy",
        "30m_busy",
    )
    version = "1"
    max_samples = 2

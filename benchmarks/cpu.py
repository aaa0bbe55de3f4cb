"""Computing without waiting."""

from benchmarks._bases import _CpuTime, _Time


class CpuSum(_Time):
    """Add up three times."""

    scenario = "cpu_sum"
    variants = (
        "sync",
        "sync_again",
        "async_sequential",
        "gather",
        "asyncio_run",
        "to_thread",
        "threads",
        "processes_fork",
        "processes_forkserver",
        "processes_spawn",
        "interpreters",
    )
    version = "2"
    max_samples = 3


class CpuSumCpuTime(_CpuTime):
    """The variants that stay in one process."""

    scenario = "cpu_sum"
    variants = ("sync", "sync_again", "async_sequential", "gather", "asyncio_run", "to_thread", "threads")
    version = "2"
    max_samples = 3


class CpuYield(_Time):
    """Add up, and yield to the event loop every so often."""

    scenario = "cpu_yield"
    variants = ("never", "every_10000", "every_1000", "every_100", "every_10", "every_1")
    version = "3"
    max_samples = 3


class CpuModulo(_Time):
    """Compute random remainders."""

    scenario = "cpu_modulo"
    variants = (
        "sync",
        "gather",
        "create_task",
        "threads",
        "processes_fork",
        "processes_forkserver",
        "processes_spawn",
        "interpreters",
        "sync_shared",
        "gather_shared",
        "threads_shared",
    )
    version = "2"
    max_samples = 3


class CpuModuloCpuTime(_CpuTime):
    """The variants that stay in one process."""

    scenario = "cpu_modulo"
    variants = ("sync", "gather", "create_task", "threads", "sync_shared", "gather_shared", "threads_shared")
    version = "2"
    max_samples = 3


class CpuModuloThreads(_Time):
    """Compute random remainders in threads: how many, how often they switch, on how many processors."""

    scenario = "cpu_modulo_threads"
    variants = (
        "threads_1",
        "threads_2",
        "threads_4",
        "threads_16",
        "threads_16_switch_100us",
        "threads_16_switch_100ms",
        "threads_16_one_cpu",
    )
    version = "2"
    max_samples = 3


class ParallelSums(_Time):
    """Add up eight times in several threads or processes."""

    scenario = "parallel_sums"
    variants = ("sync", "threads_1", "threads_2", "threads_4", "loops_2", "loops_4", "processes_4")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class ParallelModulo(_Time):
    """Compute remainders in several threads or processes."""

    scenario = "parallel_modulo"
    variants = ("sync", "threads_1", "threads_2", "threads_4", "loops_2", "loops_4", "processes_4")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class ParallelJson(_Time):
    """Write and read JSON in several threads or processes."""

    scenario = "parallel_json"
    variants = ("sync", "threads_1", "threads_2", "threads_4", "loops_2", "loops_4", "processes_4")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3

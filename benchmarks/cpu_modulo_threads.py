"""Random remainders in threads: how many, how often they switch, on how many processors."""

from benchmarks._suite import _Suite


class CpuModuloThreads(_Suite):
    """Variants of ``cpu_modulo_threads``."""

    scenario = "cpu_modulo_threads"
    params = (
        (
            "threads_1",
            "threads_2",
            "threads_4",
            "threads",
            "threads_switch_100us",
            "threads_switch_100ms",
            "threads_one_cpu",
        ),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 3

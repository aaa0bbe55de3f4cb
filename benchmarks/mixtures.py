"""Waiting and computing in one run."""

from os import sync as _sync

from benchmarks._bases import _Time


class FilesCpu(_Time):
    """Write ten files and add up."""

    scenario = "files_cpu"
    variants = ("sync", "gather", "to_thread", "processes")
    version = "1"
    max_samples = 3


class FilesCpuSynced(_Time):
    """Write ten files and add up, until the disk has the files."""

    scenario = "files_cpu_synced"
    variants = ("sync", "gather", "to_thread", "processes")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3
    between = staticmethod(_sync)


class HttpCpu1Pct(_Time):
    """Make three requests and add up for about 1 % of the time that one takes."""

    scenario = "http_cpu_1pct"
    variants = ("sync", "gather", "sleep_0", "to_thread", "processes")
    version = "2"
    max_samples = 3


class HttpCpu10Pct(_Time):
    """… for about 10 % of that time."""

    scenario = "http_cpu_10pct"
    variants = ("sync", "gather", "sleep_0", "to_thread", "processes")
    version = "2"
    max_samples = 2


class HttpCpu100Pct(_Time):
    """… for about 100 % of that time."""

    scenario = "http_cpu_100pct"
    variants = ("sync", "gather", "sleep_0", "to_thread", "processes")
    version = "2"
    max_samples = 2


class HttpCpu200Pct(_Time):
    """… for about 200 % of that time."""

    scenario = "http_cpu_200pct"
    variants = ("sync", "gather", "sleep_0", "to_thread", "processes")
    version = "2"
    max_samples = 2


class SqliteCpu1Pct(_Time):
    """Make three slow queries and add up for about 1 % of the time that one takes."""

    scenario = "sqlite_cpu_1pct"
    variants = ("sync", "gather", "to_thread", "processes")
    version = "2"
    max_samples = 3


class SqliteCpu100Pct(_Time):
    """… for about 100 % of that time."""

    scenario = "sqlite_cpu_100pct"
    variants = ("sync", "gather", "to_thread", "processes")
    version = "2"
    max_samples = 2

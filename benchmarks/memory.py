"""Memory."""

from benchmarks._bases import _JobTime, _MemoryProfile, _PeakMemory


class Scrape(_JobTime):
    """Download a hundred pages and add up their prices, in a process of its own."""

    scenario = "scrape"
    variants = ("requests_session", "requests_threads_100", "gevent_100", "aiohttp_session")
    version = "1"
    max_samples = 1


class ScrapeMemory(_PeakMemory):
    """The memory that this takes."""

    scenario = "scrape"
    variants = Scrape.variants
    version = "1"
    max_samples = 1


class ScrapeMemoryProfile(_MemoryProfile):
    """The same over time."""

    scenario = "scrape"
    variants = Scrape.variants
    version = "1"
    max_samples = 1


class WaitingTasksMemory(_PeakMemory):
    """The memory of many tasks, threads or greenlets that wait."""

    scenario = "waiting_tasks"
    variants = ("threads", "greenlets", "tasks", "tasks_five_deep")
    version = "1"
    max_samples = 1


class WaitingProcessesMemory(_PeakMemory):
    """The memory of a few processes or interpreters that wait."""

    scenario = "waiting_processes"
    variants = ("threads", "interpreters", "processes_fork", "processes_spawn")
    version = "1"
    max_samples = 1

"""Memory."""

from benchmarks._bases import _JobTime, _KernelMemory, _MemoryProfile, _PeakMemory, _PeakTotalMemory


class Scrape(_JobTime):
    """Download a hundred pages and add up their prices, in a process of its own."""

    scenario = "scrape"
    variants = (
        "requests_session",
        "requests_session_per_request",
        "requests_threads_100",
        "gevent_100",
        "aiohttp_session",
    )
    version = "2"
    max_samples = 1


class ScrapeMemory(_PeakMemory):
    """By how much this process grows for it."""

    scenario = "scrape"
    variants = Scrape.variants
    version = "2"
    max_samples = 1


class ScrapeTotalMemory(_PeakTotalMemory):
    """All the memory that the process takes, its imports included."""

    scenario = "scrape"
    variants = Scrape.variants
    version = "1"
    max_samples = 1


class ScrapeMemoryProfile(_MemoryProfile):
    """By how much it has grown, over time."""

    scenario = "scrape"
    variants = Scrape.variants
    version = "2"
    max_samples = 1


class ScrapeTwoAtOnce(_JobTime):
    """The same from a server that handles two requests at a time."""

    scenario = "scrape_two_at_once"
    variants = ("requests_session", "requests_threads_100", "gevent_100", "aiohttp_session")
    version = "1"
    max_samples = 1


class ScrapeFiles(_JobTime):
    """Read such pages from files and add up their prices, in a process of its own."""

    scenario = "scrape_files"
    variants = ("sync", "threads_100", "gevent_100", "aiofiles_gather")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 1


class WaitingTasksMemory(_PeakMemory):
    """The memory of many tasks, threads or greenlets that wait."""

    scenario = "waiting_tasks"
    variants = ("threads", "greenlets", "tasks", "tasks_five_deep")
    version = "1"
    max_samples = 1


class WaitingConnectionsMemory(_PeakMemory):
    """The memory of many connections that wait, each with a thread or a task."""

    scenario = "waiting_connections"
    variants = (
        "client_threads",
        "client_asyncio",
        "client_uvloop",
        "server_threads",
        "server_asyncio",
        "server_uvloop",
    )
    loads = (
        "tcp_1000",
        "tcp_4000",
        "tls_1000",
        "tls_4000",
    )
    version = "1"
    max_samples = 1


class WaitingConnectionsKernelMemory(_KernelMemory):
    """The memory of the kernel for them, at both ends."""

    scenario = "waiting_connections"
    variants = WaitingConnectionsMemory.variants
    loads = WaitingConnectionsMemory.loads
    version = "1"
    max_samples = 1


class Imports(_JobTime):
    """Import a library in a new process."""

    scenario = "imports"
    variants = (
        "urllib",
        "asyncio",
        "requests",
        "aiohttp",
        "httpx",
        "httpx2",
        "flask",
        "fastapi",
        "trio",
        "starlette",
        "websockets",
        "redis",
        "redis_asyncio",
        "psycopg",
        "asyncpg",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 5


class ImportsMemory(_PeakMemory):
    """By how much the process grows for it."""

    scenario = "imports"
    variants = Imports.variants
    loads = Imports.loads
    version = "1"
    max_samples = 3

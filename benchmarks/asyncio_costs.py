"""What asyncio and threads cost by themselves."""

from os import sync as _sync

from benchmarks._bases import _JobTime, _Lag, _Switches, _Time


class DriverOverhead(_Time):
    """Do nothing."""

    scenario = "driver_overhead"
    variants = ("call", "persistent_loop", "asyncio_run", "trio_run", "background_loop")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 200


class Tasks(_Time):
    """Start many units of work."""

    scenario = "tasks"
    variants = (
        "call",
        "await_each",
        "create_task",
        "gather",
        "task_group",
        "eager_tasks",
        "timeout",
        "wait_for",
        "uvloop_gather",
        "anyio_asyncio",
        "anyio_trio",
        "trio",
        "anyio_asyncio_timeout",
        "anyio_trio_timeout",
        "trio_timeout",
        "threads",
    )
    version = "1"
    max_samples = 5


class ThreadRoundtrip(_Time):
    """Go to a thread and back."""

    scenario = "thread_roundtrip"
    variants = ("submit", "to_thread", "run_in_executor", "run_coroutine_threadsafe")
    version = "2"
    max_samples = 5


class Queue(_Time):
    """Pass items from a producer to a consumer."""

    scenario = "queue"
    variants = ("asyncio_queue", "anyio_asyncio", "anyio_trio", "trio", "queue", "simple_queue")
    version = "1"
    max_samples = 5


class ContextSwitch(_Time):
    """Let two units of work wake each other."""

    scenario = "context_switch"
    variants = ("tasks", "uvloop_tasks", "threads")
    version = "1"
    max_samples = 5


class Timers(_Time):
    """Wait for many timers at once."""

    scenario = "timers"
    variants = ("asyncio_sleep", "uvloop_sleep")
    version = "1"
    max_samples = 3


class ExecutionOrder(_Switches):
    """Gather coroutines that each take a number of steps."""

    scenario = "execution_order"
    variants = ("without_await", "sleep_0")
    version = "1"
    max_samples = 3


class LoopLagFiles(_Lag):
    """Write files beside another task."""

    scenario = "loop_lag_files"
    variants = ("blocking", "aiofiles_gather", "to_thread")
    version = "2"
    max_samples = 3
    between = staticmethod(_sync)


class BlockingFilesLag(_Lag):
    """Write files in asynchronous code: how late another task runs."""

    scenario = "blocking_files"
    variants = (
        "blocking",
        "blocking_sleep_0",
        "one_to_thread",
        "to_thread_each",
        "to_thread_gather",
        "aiofiles_each",
        "aiofiles_gather",
    )
    loads = (
        "4_kib",
        "64_kib",
        "1_mib",
        "16_mib",
    )
    version = "1"
    max_samples = 3


class BlockingFiles(_JobTime):
    """How long that takes."""

    scenario = "blocking_files"
    variants = BlockingFilesLag.variants
    loads = BlockingFilesLag.loads
    version = "1"
    max_samples = 3


class BlockingSqliteLag(_Lag):
    """Insert rows into SQLite in asynchronous code: how late another task runs."""

    scenario = "blocking_sqlite"
    variants = (
        "blocking",
        "blocking_sleep_0",
        "one_to_thread",
        "to_thread_each",
        "aiosqlite",
    )
    loads = (
        "1_rows",
        "10_rows",
        "100_rows",
        "1000_rows",
        "10000_rows",
    )
    version = "1"
    max_samples = 3


class BlockingSqlite(_JobTime):
    """How long that takes."""

    scenario = "blocking_sqlite"
    variants = BlockingSqliteLag.variants
    loads = BlockingSqliteLag.loads
    version = "1"
    max_samples = 3


class UnitCosts(_JobTime):
    """What a unit of work costs, by the way in which it is started."""

    scenario = "unit_costs"
    variants = (
        "call",
        "await_each",
        "sleep_0",
        "create_task",
        "eager_tasks",
        "gather",
        "gather_tens",
        "task_group",
        "task_group_tens",
        "thread",
        "submit",
        "to_thread",
        "run_in_executor",
        "uvloop_sleep_0",
        "uvloop_create_task",
        "uvloop_gather",
        "uvloop_task_group",
        "uvloop_to_thread",
    )
    loads = (
        "1000_units",
        "10000_units",
    )
    version = "1"
    max_samples = 5

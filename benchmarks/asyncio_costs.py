"""What asyncio and threads cost by themselves."""

from os import sync as _sync

from benchmarks._bases import _Lag, _Switches, _Time


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


class Locks(_Time):
    """Acquire a lock that nothing else uses."""

    scenario = "locks"
    variants = ("asyncio_lock", "asyncio_semaphore", "threading_lock", "threading_semaphore")
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


class LoopLagCpu(_Lag):
    """Compute beside another task."""

    scenario = "loop_lag_cpu"
    variants = ("blocking", "sleep_0", "threads", "processes_spawn", "interpreters")
    version = "2"
    max_samples = 3

"""Groups of tasks."""

from benchmarks._bases import _JobTime


class CancelTasks(_JobTime):
    """Cancel many tasks that wait, until all have ended."""

    scenario = "cancel_tasks"
    variants = ("each", "gather", "task_group", "uvloop_task_group", "anyio_asyncio", "anyio_trio", "trio")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class NestedFailure(_JobTime):
    """Let a task of nested groups fail, until its error has left all of them."""

    scenario = "nested_failure"
    variants = ("task_group", "uvloop_task_group", "anyio_asyncio", "anyio_trio", "trio")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3

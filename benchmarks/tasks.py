"""Starting many units of work."""

from benchmarks._suite import _Suite


class Tasks(_Suite):
    """Variants of ``tasks``."""

    scenario = "tasks"
    params = (
        (
            "call",
            "await_each",
            "create_task",
            "gather",
            "task_group",
            "eager_tasks",
            "timeout",
            "wait_for",
            "uvloop_gather",
            "threads",
        ),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    most_samples = 5

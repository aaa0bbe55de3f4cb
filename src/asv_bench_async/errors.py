"""Every error that this package raises on purpose.

    AsyncBenchmarkError
    ├── FunctionKindError        a benchmark or hook of a kind that cannot be run, such as an async generator
    ├── LoopFactoryError         loop_factory names or makes no event loop
    ├── SetupProcessError        setup_process yields never or twice
    ├── NeverAwaitedError        a coroutine was made, and nobody awaited it
    ├── TasksLeftError           tasks were still running after a call, or at the end
    ├── CancelledBenchmarkError  the benchmark cancelled itself
    └── LatencyError             a latency benchmark returned something else than latencies

asv prints the last line of the traceback and counts the benchmark as failed; the others run on.
None of them is a NotImplementedError: asv takes that for "skip".
"""


class AsyncBenchmarkError(Exception):
    """Root of the tree."""


class FunctionKindError(AsyncBenchmarkError):
    """A benchmark or hook of a kind that cannot be run."""


class LoopFactoryError(AsyncBenchmarkError):
    """The loop factory names or makes no event loop."""


class SetupProcessError(AsyncBenchmarkError):
    """The generator `setup_process` yields never, or more than once."""


class NeverAwaitedError(AsyncBenchmarkError):
    """A coroutine was made, and nobody awaited it: what was timed is making it, not running it."""


class TasksLeftError(AsyncBenchmarkError):
    """Tasks were still running after a call, or at the end: their work was not timed, and it disturbs what follows."""


class CancelledBenchmarkError(AsyncBenchmarkError):
    """The benchmark cancelled itself."""


class LatencyError(AsyncBenchmarkError):
    """A latency benchmark returned something else than latencies."""

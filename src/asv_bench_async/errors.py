"""The errors of this package.

    AsyncBenchmarkError
    ├── FunctionKindError        a benchmark or hook that cannot be run, such as an async generator
    ├── LoopFactoryError         loop_factory does not give an event loop
    ├── SetupProcessError        setup_process does not yield exactly once
    ├── NeverAwaitedError        a coroutine was created and never awaited
    ├── TasksLeftError           tasks were still running after a call, or at the end
    ├── CancelledBenchmarkError  the benchmark cancelled itself
    └── LatencyError             a latency benchmark did not return latencies

asv prints the last line of the traceback and counts the benchmark as failed; the others still run.
None of them is a NotImplementedError, which asv treats as "skip".
"""


class AsyncBenchmarkError(Exception):
    """Base class of all errors."""


class FunctionKindError(AsyncBenchmarkError):
    """A benchmark or hook cannot be run."""


class LoopFactoryError(AsyncBenchmarkError):
    """The loop factory does not give an event loop."""


class SetupProcessError(AsyncBenchmarkError):
    """The generator `setup_process` does not yield exactly once."""


class NeverAwaitedError(AsyncBenchmarkError):
    """A coroutine was created and never awaited: its creation was timed, not its execution."""


class TasksLeftError(AsyncBenchmarkError):
    """Tasks were still running after a call, or at the end: their work was not timed and affects later calls."""


class CancelledBenchmarkError(AsyncBenchmarkError):
    """The benchmark cancelled itself."""


class LatencyError(AsyncBenchmarkError):
    """A latency benchmark did not return latencies."""

"""What the suites share: each base class opens a case, measures its run in one way, and closes the case."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from importlib import import_module
from os import sync
from time import perf_counter, process_time
from typing import Any, ClassVar

MAX_SECONDS = 3.5
"""A process takes no further sample once its timed runs lasted so long: more processes are worth more than samples."""


def _open_case(scenario: str, variant: str, load: str) -> AbstractContextManager[Any]:
    """Return the case as a context manager; asv skips what this commit or environment does not have."""
    try:
        registry = import_module("windtunnel_scenarios.registry")
    except ModuleNotFoundError as absent:
        raise NotImplementedError("this commit has no scenarios") from absent
    return registry.prepared(scenario, variant, load)  # type: ignore[no-any-return]  # of the installed commit


class _Case:
    """Which scenario a suite measures, and how often. The subclass sets ``version`` by hand."""

    scenario: ClassVar[str]
    variants: ClassVar[tuple[str, ...]]
    loads: ClassVar[tuple[str, ...]] = ("quick", "standard", "article")
    max_samples: ClassVar[int]
    """Samples of a process, at most."""
    setup_starts_servers: ClassVar[bool] = False
    """Whether counts of instructions are those of the client: without the servers that opening the case starts."""
    param_names = ("variant", "load")
    rounds = 2
    timeout = 600.0
    number = 1
    min_run_count = 1
    warmup_time = 0.0  # the first run, which checks the outcome, is the warm-up

    @property
    def params(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The values of each parameter, for asv."""
        return self.variants, self.loads

    @property
    def repeat(self) -> list[float]:
        """Samples of a process, for asv: at least one, at most so many, none after so many seconds."""
        return [1, self.max_samples, MAX_SECONDS]


class _Opened(_Case):
    """A case that is opened before its first run and closed after its last."""

    def setup(self, variant: str, load: str) -> None:
        self._stack = ExitStack()
        self._run: Any = self._stack.enter_context(_open_case(self.scenario, variant, load))

    def teardown(self, variant: str, load: str) -> None:  # noqa: ARG002 - asv passes the parameters
        self._stack.close()

    def _record(self, measure: str) -> tuple[float, ...]:
        """Do the job once; return what the run recorded of a measure."""
        self._run()
        return self._run.recorded[measure]  # type: ignore[no-any-return]  # of the installed commit


class _Time(_Opened):
    """The time of a run, in seconds."""

    def time_run(self, variant: str, load: str) -> None:  # noqa: ARG002 - asv passes the parameters
        self._run()


class _PreparedTime(_Time):
    """The time of a run that is prepared before each call, outside the clock, and begins with nothing left to write."""

    def between(self) -> None:
        prepare = getattr(self._run, "prepare", None)  # runs of older commits have none
        if prepare is not None:
            prepare()
        sync()


class _CpuTime(_Time):
    """The CPU time of a run in this process, in seconds: what other programs on the machine change least."""

    timer = process_time


class _Latency(_Case):
    """The latency of each request, in seconds. asv_bench_async's ``latency_*`` keeps all of them."""

    def setup_process(self, variant: str, load: str) -> Iterator[None]:
        with _open_case(self.scenario, variant, load) as self._run:
            yield

    def latency_request(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        self._run()
        return self._run.recorded["latency"]  # type: ignore[no-any-return]  # of the installed commit


class _Lag(_Opened):
    """The longest lag of the event loop during a run, in seconds."""

    def time_lag(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("lag")


class _Wait(_Opened):
    """The 99th percentile of the times that messages of a run waited, in seconds."""

    def time_wait_p99(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("wait_p99")


class _ProgramCpuTime(_Opened):
    """The CPU time of the program that a run starts, in user and system mode, in seconds."""

    def time_cpu(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("cpu_seconds")


class _ServerCpuTime(_Opened):
    """The CPU time of the server's processes for a request, in seconds: what other programs change least."""

    def time_server_cpu(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        before = self._run.server_cpu_seconds()
        requests = len(self._run())
        return ((self._run.server_cpu_seconds() - before) / requests,)


class _ServerLoad(_Opened):
    """Which share of a run the server's processes computed."""

    unit = "unit"

    def ratio_server_load(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        before, begin = self._run.server_cpu_seconds(), perf_counter()
        self._run()
        seconds = perf_counter() - begin
        return ((self._run.server_cpu_seconds() - before) / seconds,)


class _JobTime(_Opened):
    """The time of a job in a process of its own without the start of the process, or of a part of a job, in seconds."""

    def time_job(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("seconds")


class _PeakMemory(_Opened):
    """By how many bytes a process grows for the job, at its peak."""

    unit = "bytes"

    def peak_growth(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("peak_growth")


class _KernelMemory(_Opened):
    """By how many bytes the kernel's memory grows during a run, on the whole machine."""

    unit = "bytes"

    def peak_kernel_growth(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("kernel_growth")


class _PeakTotalMemory(_Opened):
    """How many bytes a process takes at the peak of the job, its imports included."""

    unit = "bytes"

    def peak_memory(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("peak_memory")


class _MemoryProfile(_Opened):
    """By how many bytes a process has grown, at twenty times from the beginning of the job to its end."""

    unit = "bytes"

    def peak_profile(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("memory_profile")


class _Switches(_Opened):
    """How often a step was another coroutine's than the step before."""

    unit = "switches"

    def count_switches(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        return self._record("switches")

"""What the suites share: a case is opened, timed and closed in the same way everywhere."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from importlib import import_module
from typing import Any, ClassVar

ENOUGH = 3.0
"""Seconds of timed runs after which a process takes no further value: processes say more than values of one."""


def _opened(scenario: str, variant: str, load: str) -> AbstractContextManager[Any]:
    """The case, to be entered; what this commit or environment does not have is skipped."""
    try:
        registry = import_module("windtunnel_scenarios.registry")
    except ModuleNotFoundError as absent:
        raise NotImplementedError("this commit has no scenarios") from absent
    return registry.prepared(scenario, variant, load)  # type: ignore[no-any-return]  # of the installed commit


class _Case:
    """Which scenario, with which loads, and how often each case is timed; the subclass says so."""

    scenario: ClassVar[str]
    params: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]]
    param_names = ("variant", "load")
    most_samples: ClassVar[int]
    timeout = 600.0
    number = 1
    min_run_count = 1
    warmup_time = 0.0  # the first run, which checks the outcome, is the warm-up

    @property
    def repeat(self) -> list[float]:
        """Values of a process, as asv reads it: at least one, at most so many, none after so many seconds."""
        return [1, self.most_samples, ENOUGH]


class _Prepared(_Case):
    """A case that is opened before the first of its timed calls, and closed after the last."""

    def setup(self, variant: str, load: str) -> None:
        """Open the case."""
        self._stack = ExitStack()
        self._run: Any = self._stack.enter_context(_opened(self.scenario, variant, load))

    def teardown(self, variant: str, load: str) -> None:  # noqa: ARG002 - asv passes the parameters
        """Close the case, or what was opened of it."""
        self._stack.close()


class _Suite(_Prepared):
    """Times the job."""

    def time_run(self, variant: str, load: str) -> None:  # noqa: ARG002 - asv passes the parameters
        """The job, once."""
        self._run()


class _Latencies(_Case):
    """Times each request of the job; asv_bench_async's ``latency_*`` keeps them all."""

    def setup_process(self, variant: str, load: str) -> Iterator[None]:
        """Open the case, and close it at the end."""
        with _opened(self.scenario, variant, load) as self._run:
            yield

    def latency_request(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """The seconds of each request of the job, done once."""
        self._run()
        return self._run.recorded  # type: ignore[no-any-return]  # a Recording of the installed commit

"""What the suites share: a case is opened, timed and closed in the same way everywhere."""

from contextlib import ExitStack
from importlib import import_module
from typing import Any, ClassVar


class _Case:
    """Opens and closes a case; the subclass says of which scenario, with which loads and how often it is timed."""

    scenario: ClassVar[str]
    params: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]]
    param_names = ("variant", "load")
    timeout = 600.0
    number = 1
    warmup_time = 0.0  # the first run, which checks the outcome, is the warm-up

    def setup(self, variant: str, load: str) -> None:
        """Open the case; what this commit or environment does not have is skipped."""
        self._opened = ExitStack()
        try:
            registry = import_module("windtunnel.scenarios.registry")
        except ModuleNotFoundError as absent:
            raise NotImplementedError("this commit has no scenarios") from absent
        self._run: Any = self._opened.enter_context(registry.prepared(self.scenario, variant, load))

    def teardown(self, variant: str, load: str) -> None:  # noqa: ARG002 - asv passes the parameters
        """Close the case, or what was opened of it."""
        self._opened.close()


class _Suite(_Case):
    """Times the job."""

    def time_run(self, variant: str, load: str) -> None:  # noqa: ARG002 - asv passes the parameters
        """The job, once."""
        self._run()

"""Serves the fixture ``benchmark`` of pytest-benchmark and pytest-codspeed, in place of theirs, with asv's timing.

It runs with the Python of the environment, and imports only pytest, asv_runner and the standard library.
"""

import functools
import inspect
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from asv_runner.benchmarks.time import TimeBenchmark

MARKERS = ("benchmark", "codspeed_benchmark")
"""Markers with which pytest-codspeed measures a test as a whole."""

SERVED = frozenset(("benchmark", "benchmark_weave", "codspeed_benchmark"))
"""Fixtures that are served where they are the plugins' own, not the project's."""

PLUGINS = frozenset(("pytest_benchmark", "pytest_codspeed", __name__.partition(".")[0]))

MAX_PEDANTIC_SECONDS = 2.0
"""Seconds after which no further round of ``pedantic`` begins in a process."""

TRACED = (
    "coverage measures this process, which makes everything slower; turn it off: remove COVERAGE_PROCESS_START from "
    "the environment, or run pytest-cov with --no-cov"
)

PEDANTIC = "benchmark.pedantic says how often the test calls: it has times, no counts and no profile"

Call = Callable[[], Any]


class Stats(dict[str, Any]):
    """What ``benchmark.stats`` is in pytest-benchmark, in seconds a call: as keys, attributes and ``stats.stats``."""

    def __init__(self, samples: Sequence[float], number: int) -> None:
        """Compute from *samples*, each of *number* calls."""
        super().__init__(
            data=list(samples),
            min=min(samples),
            max=max(samples),
            mean=statistics.fmean(samples),
            median=statistics.median(samples),
            stddev=statistics.stdev(samples) if len(samples) > 1 else 0.0,
            rounds=len(samples),
            iterations=number,
            total=sum(samples),
            ops=1 / statistics.fmean(samples),
        )

    def __getattr__(self, name: str) -> Any:
        """Return a figure."""
        if name == "stats":
            return self
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class BenchmarkFixture:
    """The fixture ``benchmark``: the first call of a test is measured, each further one runs."""

    def __init__(self, plugin: "Plugin", node: Any) -> None:
        """Serve the test *node*."""
        marker = node.get_closest_marker("benchmark")
        options = dict(marker.kwargs) if marker else {}
        self._plugin = plugin
        self.name = node.name
        self.fullname = node.nodeid
        self.group = options.get("group")
        self.param = node.callspec.id if hasattr(node, "callspec") else None
        self.params = dict(node.callspec.params) if hasattr(node, "callspec") else None
        self.extra_info: dict[str, Any] = dict(options.get("extra_info", {}))
        self.stats: Stats | None = None
        self.enabled, self.disabled, self.skipped, self.has_error = True, False, False, False

    @property  # type: ignore[misc]  # isinstance asks for it
    def __class__(self) -> type:
        """The class of the real fixture, for which tests and its own plugin ask."""
        for module in ("pytest_benchmark.fixture", "pytest_codspeed.plugin"):
            if found := getattr(sys.modules.get(module), "BenchmarkFixture", None):
                return found  # type: ignore[no-any-return]
        return BenchmarkFixture

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Measure calls of *function*; return what it returns."""
        call = functools.partial(function, *args, **kwargs) if args or kwargs else function
        self._note(self._plugin.measure(call))
        return call()

    def pedantic(  # noqa: PLR0913, PLR0917 - the signature of the plugins
        self,
        target: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        setup: Callable[[], Any] | None = None,
        teardown: Callable[..., Any] | None = None,
        rounds: int = 1,
        warmup_rounds: int = 0,
        iterations: int = 1,
    ) -> Any:
        """Measure as many *rounds* as the test says, each of *iterations* after its *setup*."""
        rounds_run = PedanticRounds(target, args, dict(kwargs or {}), setup, teardown)
        for _ in range(warmup_rounds):
            rounds_run.once()
        self._note(self._plugin.measure_rounds(rounds_run, rounds, iterations))
        return rounds_run.once() if rounds_run.result is NOTHING else rounds_run.result

    def weave(self, target: Any, **kwargs: Any) -> None:
        """Measure the calls of *target* within the test; needs aspectlib, as in pytest-benchmark."""
        import aspectlib  # type: ignore[import-not-found]  # noqa: PLC0415 - of the environment

        def measured(function: Callable[..., Any]) -> Callable[..., Any]:
            return functools.wraps(function)(lambda *args, **kwargs: self(function, *args, **kwargs))

        self._plugin.undo.append(aspectlib.weave(target, measured, **kwargs).rollback)

    patch = weave

    def _note(self, result: "dict[str, Any] | None") -> None:
        if result:
            self.stats = Stats(result["samples"], result["number"])


NOTHING = object()


class PedanticRounds:
    """The rounds of ``pedantic``, with the interface of timeit.Timer."""

    def __init__(
        self,
        target: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        setup: Callable[[], Any] | None,
        teardown: Callable[..., Any] | None,
    ) -> None:
        """Call *target*, with what *setup* returns if it returns arguments."""
        self._target, self._args, self._kwargs, self._setup, self._teardown = target, args, kwargs, setup, teardown
        self.timer: Callable[[], float] | None = None
        self.result: Any = NOTHING

    def timeit(self, number: int) -> float:
        """Run one round of *number* calls; return its seconds."""
        args, kwargs = self._args, self._kwargs
        if self._setup and (made := self._setup()):
            args, kwargs = made
        target, calls, timer = self._target, range(number), self.timer
        result = NOTHING
        start = timer() if timer else 0.0
        for _ in calls:
            result = target(*args, **kwargs)
        seconds = timer() - start if timer else 0.0
        self.result = result
        if self._teardown:
            self._teardown(*args, **kwargs)
        return seconds

    def once(self) -> Any:
        """Run one call, unmeasured; return what it returns."""
        timer, self.timer = self.timer, None
        self.timeit(1)
        self.timer = timer
        return self.result


class Plugin:
    """The plugin of pytest: serves the fixture, and keeps what a test reports."""

    def __init__(self) -> None:
        """Measure nothing until a benchmark begins."""
        self._benchmark: Any = None
        self._measure: Callable[[Any], dict[str, Any]] = TimeBenchmark.run
        self.result: dict[str, Any] | None = None
        self.reports: list[Any] = []
        self.collected: list[Any] = []
        self.undo: list[Callable[[], Any]] = []

    def begin(self, benchmark: Any, measure: Callable[[Any], dict[str, Any]]) -> None:
        """Let *measure* take the next call as that of *benchmark*, an asv benchmark; run calls once if it is None."""
        self._benchmark, self._measure, self.result = benchmark, measure, None
        self.reports.clear()

    def measure(self, call: Call) -> dict[str, Any] | None:
        """Return samples of *call* if a benchmark has begun."""
        benchmark = self._take()
        if benchmark is None:
            return None
        benchmark.func = call
        self.result = self._measure(benchmark)
        return self.result

    def measure_rounds(self, run: PedanticRounds, rounds: int, iterations: int) -> dict[str, Any] | None:
        """Return a sample for each of the *rounds*, fewer if they take too long, of *iterations* calls each."""
        benchmark = self._take()
        if benchmark is None:
            return None
        if self._measure is not TimeBenchmark.run:
            pytest.skip(PEDANTIC)
        run.timer = benchmark.timer
        samples, number = benchmark.benchmark_timing(
            run, 1, rounds, max_time=MAX_PEDANTIC_SECONDS, warmup_time=0, number=iterations, min_run_count=1
        )
        run.timer = None
        self.result = {"samples": [each / number for each in samples], "number": number}
        return self.result

    def _take(self) -> Any:
        benchmark, self._benchmark = self._benchmark, None
        if benchmark is not None and (coverage := sys.modules.get("coverage")) and coverage.Coverage.current():
            raise RuntimeError(TRACED)
        return benchmark

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: Any) -> None:
        """Register the markers, which the plugins do where they are installed."""
        for marker in MARKERS:
            config.addinivalue_line("markers", f"{marker}: measured by Windtunnel")

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        """Return our fixture in place of a plugin's; None for any other one."""
        if fixturedef.argname not in SERVED or fixturedef.func.__module__.partition(".")[0] not in PLUGINS:
            return None
        served = BenchmarkFixture(self, request.node)
        value = served.weave if fixturedef.argname == "benchmark_weave" else served
        fixturedef.cached_result = (value, fixturedef.cache_key(request), None)
        return value

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: Any) -> None:
        """Measure a coroutine with a marker of pytest-codspeed together with the loop that runs it, as that does."""
        item.__dict__.pop("runtest", None)
        if is_coroutine(item) and measures_whole(item):
            run = item.runtest
            item.runtest = lambda: self.measure(run) or run()

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Any:
        """Measure a test with a marker of pytest-codspeed and without the fixture as a whole."""
        if self._benchmark is None or is_coroutine(pyfuncitem) or not measures_whole(pyfuncitem):
            return None
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}  # noqa: SLF001
        self.measure(functools.partial(pyfuncitem.obj, **arguments))
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what each phase of a test reports."""
        self.reports.append(report)

    def pytest_runtest_teardown(self) -> None:
        """Take back what ``weave`` has replaced."""
        while self.undo:
            self.undo.pop()()

    def pytest_collectreport(self, report: Any) -> None:
        """Keep files that cannot be collected, and those that are skipped."""
        if not report.passed:
            self.collected.append(report)

    @pytest.fixture
    def benchmark(self) -> None:
        """Serve projects whose environment has neither plugin; the hook above replaces it."""

    @pytest.fixture
    def benchmark_weave(self) -> None:
        """Serve ``weave`` likewise."""


def uses_fixture(item: Any) -> bool:
    """Return whether the test uses a fixture that measures."""
    return not SERVED.isdisjoint(getattr(item, "fixturenames", ()))


def measures_whole(item: Any) -> bool:
    """Return whether pytest-codspeed would measure the test as a whole: by its marker, without the fixture."""
    return (
        "pytest_codspeed" in sys.modules
        and not uses_fixture(item)
        and any(item.get_closest_marker(marker) for marker in MARKERS)
    )


def is_coroutine(item: Any) -> bool:
    """Return whether the test is one that a plugin runs in an event loop."""
    return inspect.iscoroutinefunction(getattr(item, "obj", None))

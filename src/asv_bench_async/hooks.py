"""The mixin of every benchmark type: async hooks, `setup_process`, and the check for coroutines never awaited."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from asv_runner.benchmarks._base import Benchmark, _check_num_args, _get_all_attrs, _get_first_attr, get_source_code

from asv_bench_async.errors import FunctionKindError
from asv_bench_async.functions import Function, is_async, is_async_generator, where
from asv_bench_async.scope import Scope


class AsyncHooks(Benchmark):
    """Mixin for a benchmark type.

    Discovery and `asv check` read the signatures and the source of the suite's functions. At the first setup, plain
    functions that await replace them.
    """

    func: Function
    code: str
    version: str
    version_alts: tuple[str, ...]
    _setups: list[Function]
    _teardowns: list[Function]
    _setup_cache: Function | None

    _may_be_async = True
    _times_func = False
    """Whether the type awaits `func` between its own clock readings, instead of calling it as a plain function."""

    def __init__(self, name: str, func: Function, attr_sources: list[Any]) -> None:
        super().__init__(name, func, attr_sources)
        self._setup_processes: list[Function] = list(_get_all_attrs(attr_sources, "setup_process"))[::-1]
        self._scope: Scope | None = None
        self._is_redo = self._has_failed = False
        self._distinguish()

    def _distinguish(self) -> None:
        """Change the version of benchmarks that asv alone would time wrongly; plain benchmarks keep theirs."""
        factory = self._attribute("loop_factory")
        marks = ["async"] if any(map(is_async, self._functions())) else []
        marks += [getattr(factory, "__qualname__", str(factory))] if factory is not None else []
        if self._setup_processes:
            marks.append(get_source_code(self._setup_processes))
            self.code = f"{self.code}\n\n{marks[-1]}"
        if marks and self._attribute("version") is None:
            self.version = sha256("\n".join([self.version, *marks]).encode()).hexdigest()
            self.version_alts = ()

    def check(self, root: str) -> bool:
        """Check the arguments, as asv does, and that the functions and the loop can be run."""
        ok = bool(super().check(root))
        count = len(self._current_params)
        for hook in self._setup_processes:
            most = count + (self.setup_cache_key is not None)
            ok = _check_num_args(root, f"{self.name}: setup_process", hook, count, most) and ok
        for problem in (*self._problems(), *self._loop_problems()):
            print(f"{self.name}: {problem}")  # noqa: T201 - asv shows what a check prints
            ok = False
        return ok

    def do_setup_cache(self) -> Any:
        """Run asv's setup_cache, which has its own process and hence its own loop."""
        scope = self._new_scope()
        failed = True
        scope.open()
        try:
            self._setups = [scope.runnable(hook) for hook in self._setups]
            self._setup_cache = self._setup_cache and scope.runnable(self._setup_cache)
            cache = super().do_setup_cache()
            failed = False
        finally:
            scope.close(quietly=failed)
        return cache

    def do_setup(self) -> bool:
        if self._scope is not None or tuple(self._current_params) in self._skip_tuples:
            return bool(super().do_setup())
        self._scope = self._new_scope()
        self._scope.open()
        try:
            return not self._begin(self._scope) or bool(super().do_setup())
        except BaseException:
            self._has_failed = True
            self._end()
            raise

    def redo_setup(self) -> None:
        self._is_redo = True
        try:
            super().redo_setup()
        finally:
            self._is_redo = False

    def do_run(self) -> Any:
        with self._recording_failure():
            return super().do_run()

    def do_profile(self, filename: str | None = None) -> None:
        """Profile one call, including the loop."""
        if self._scope is not None and self._times_func:
            self.func = self._scope.runnable(self.func, is_call=True)
        with self._recording_failure():
            super().do_profile(filename)

    def do_teardown(self) -> None:
        """Tear down; the last teardown, which is not part of a repeated setup, also closes the loop."""
        if self._scope is None or self._is_redo:
            super().do_teardown()
            return
        try:
            with self._recording_failure():
                super().do_teardown()
        finally:
            self._end()

    def _begin(self, scope: Scope) -> bool:
        """Install runnable functions and prepare the process; return False when the preparation skips the benchmark."""
        for problem in self._problems():
            raise FunctionKindError(problem)
        must_await = any(map(is_async, self._functions()))
        self._setups = [scope.runnable(hook) for hook in self._setups]
        self._teardowns = [scope.runnable(hook) for hook in self._teardowns]
        if not self._times_func:
            self.func = scope.runnable(self.func, is_call=True)
        try:
            if must_await:
                scope.session()
            for hook in self._setup_processes:
                scope.prepare(hook)
        except NotImplementedError as reason:
            print(f"asv: skipped: {reason!r} ")  # noqa: T201 - asv shows what a benchmark prints
            self._teardowns = []
            return False
        return True

    def _end(self) -> None:
        scope, self._scope = self._scope, None
        if scope is not None:
            scope.close(quietly=self._has_failed)

    @contextlib.contextmanager
    def _recording_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._has_failed = True
            raise

    def _new_scope(self) -> Scope:
        return Scope(self.func, self._attribute("loop_factory", "asyncio"), self._build_params())

    def _attribute(self, name: str, default: object = None) -> Any:
        return _get_first_attr(self._attr_sources, name, default)

    def _functions(self) -> list[Function]:
        cache = [] if self._setup_cache is None else [self._setup_cache]
        return [self.func, *self._setups, *self._teardowns, *cache]

    def _loop_problems(self) -> Iterator[str]:
        from asv_bench_async.loops import find_problem  # noqa: PLC0415 - imports asyncio, which plain suites do not need

        if problem := find_problem(self._attribute("loop_factory", "asyncio")):
            yield problem

    def _problems(self) -> Iterator[str]:
        if not self._may_be_async and (is_async(self.func) or is_async_generator(self.func)):
            yield f"{where(self.func)} is `async def`, but it returns source text to time: write a plain `def`"
        for function in filter(is_async_generator, self._functions()):
            yield (
                f"{where(function)} is an async generator: calling it runs nothing. Drop the `yield`, or drive the "
                "generator with `async for` inside the function; to open something once and close it at the end, "
                "yield in `setup_process`"
            )

"""Detects coroutines that were never awaited."""

from __future__ import annotations

import gc
import inspect
import re
import types
import warnings
from typing import TYPE_CHECKING, TextIO

from asv_bench_async.errors import NeverAwaitedError
from asv_bench_async.functions import Function, where

if TYPE_CHECKING:
    from types import TracebackType

MESSAGE = re.compile(r"coroutine .* was never awaited")
"""The RuntimeWarning of CPython, PyPy and Cython."""


class Unawaited:
    """Collects "was never awaited" warnings, which Python only prints; other warnings pass through."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._seen: dict[str, str] = {}
        self.quiet = False

    def __enter__(self) -> None:
        self._before = warnings.showwarning
        warnings.showwarning = self._show
        self.listen()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        gc.collect()  # PyPy finds all of them only here, CPython those in cycles
        warnings.showwarning = self._before
        self._close_kept()
        if error is None and not self.quiet:
            self.check(self._function)

    def listen(self) -> None:
        """Put the filter first again, since suites set filters too."""
        warnings.filterwarnings("always", MESSAGE.pattern, RuntimeWarning)

    def check(self, function: Function) -> None:
        """Raise NeverAwaitedError for the warnings since the last check."""
        if self._seen:
            seen = "; ".join(f"{text} (noticed at {place})" for text, place in self._seen.items())
            self._seen.clear()
            raise NeverAwaitedError(f"in {where(function)}: {seen}. Add `await` before the call, or remove the call")

    def _close_kept(self) -> None:
        """Find coroutines that are still referenced, before Python does at the end of the process."""
        kept = [each for each in gc.get_objects() if type(each) is types.CoroutineType]
        for coroutine in kept:
            if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                code = coroutine.cr_code
                text = f"coroutine '{coroutine.__qualname__}' was never awaited"
                self._seen.setdefault(text, f"{code.co_filename}:{code.co_firstlineno}")
                coroutine.close()

    def _show(  # noqa: PLR0913, PLR0917 - the signature of warnings.showwarning
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = str(message).partition("\n")[0]
        if issubclass(category, RuntimeWarning) and MESSAGE.match(text):
            self._seen.setdefault(text, f"{filename}:{lineno}")
        else:
            self._before(message, category, filename, lineno, file, line)

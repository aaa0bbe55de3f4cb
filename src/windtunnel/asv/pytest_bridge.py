"""Shows asv_runner a benchmark for each test that measures, and runs the test around asv's timing.

It runs with the Python of the environment as the package of a suite that `windtunnel.pytest_suite.suite` writes, and
imports only pytest, asv_runner and the standard library. All modules of the suite share one session of pytest, which is
configured once and collects a file when its module is imported; a process can be forked after that.
"""

import hashlib
import importlib.metadata
import inspect
import itertools
import json
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar

import asv_runner.benchmarks
import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session
from asv_runner.benchmarks._base import _get_first_attr
from asv_runner.benchmarks.time import TimeBenchmark

from windtunnel.asv.pytest_fixture import Plugin, measures_whole, uses_fixture

PROJECT = json.loads(Path(__file__).with_name("project.json").read_text(encoding="utf-8"))
ROOT = str(PROJECT["root"])
NEVER_CALLED = "the test did not call the fixture 'benchmark'"
IN_FILE = "windtunnel_in_file"
"""Attribute of a process: run the tests before it in its file first, as in the other commit of a comparison."""
RAN_IN_FILE = "windtunnel: measured after the tests before it"
"""What is printed if a test needed that; `windtunnel.asv.paired_engine` repeats both."""
MAX_TEXT = 4000
"""Characters of a report: its end, which holds the error."""


Collected = dict[str, list[Any]]
"""Tests by file."""


class KnownNames:
    """What asv_runner asks, instead of a regular expression, whether a function is a benchmark."""

    names: ClassVar[set[str]] = set()

    def match(self, name: str) -> bool:
        """Return whether a test has the name."""
        return name in self.names


class PytestBenchmark(TimeBenchmark):  # type: ignore[misc]  # asv_runner has no types
    """A test that measures: asv's timing happens inside the fixture, where the test calls it."""

    name_regex = KnownNames()

    def __init__(self, name: str, func: Any, attr_sources: Any) -> None:
        """Keep what the choice of cases reads: asv_runner lists plain attributes."""
        super().__init__(name, func, attr_sources)
        self.windtunnel_markers = func._markers  # noqa: SLF001 - set by `benchmark_of`

    def do_run(self) -> Any:
        """Run the test; return the samples that the fixture took, NaN if the test is skipped."""
        if reason := self._run_test(TimeBenchmark.run):
            sys.stdout.write(f"asv: skipped: {reason}\n")
            return math.nan
        return PLUGIN.result

    def within(self, act: Callable[[], Any]) -> str:
        """Run the test, and *act* where asv's timing would be: ``func`` is then what the test measures.

        Return why the test is skipped, else nothing.
        """
        return self._run_test(lambda _: act() or {})

    def run(self, *_: Any) -> Any:
        """Raise TestFailedError: without its test there is nothing to call."""
        raise TestFailedError("a pytest benchmark runs within its test only")

    def _run_test(self, measure: Callable[[Any], dict[str, Any]]) -> str:
        """Run the test, in which *measure* gets this benchmark; return why it is skipped, else nothing.

        A test that fails may need those before it in its file, so it is tried again after them. Raises TestFailedError.
        """
        in_file = _get_first_attr(self._attr_sources, IN_FILE, default=False)
        item = self.func._items[tuple(self._current_params)]  # noqa: SLF001 - set by `collect`
        back = Path.cwd()
        use_temporary(item.config, back / "pytest")
        os.chdir(ROOT)
        try:
            failure = "" if in_file else self._run([item], measure)
            if failure or in_file:
                before = itertools.takewhile(lambda other: other is not item, ITEMS[str(item.path)])
                again = self._run([*before, item], measure)
                failure = again and (failure or again)
                sys.stdout.write(f"{RAN_IN_FILE}\n")
        finally:
            os.chdir(back)
        if failure:
            raise TestFailedError(failure)
        reason = skip_reason(PLUGIN.reports)
        if PLUGIN.result is None and not reason:
            raise TestFailedError(f"{item.nodeid}: {NEVER_CALLED}")
        return reason

    def _run(self, items: Sequence[Any], measure: Callable[[Any], dict[str, Any]]) -> str:
        """Run *items* in one process, and measure the last one; return why that failed."""
        for item, following in itertools.zip_longest(items, items[1:]):
            PLUGIN.begin(None if following else self, measure)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        failed = [report for report in PLUGIN.reports if report.failed]
        return f"{failed[0].longreprtext[-MAX_TEXT:]}\n{items[-1].nodeid} failed" if failed else ""


class TestFailedError(Exception):
    """A test failed, or its file cannot be collected; the message has the report of pytest."""


def skip_reason(reports: Iterable[Any]) -> str:
    """Return why a test was skipped; empty if it was not, or if it failed as expected after it was measured."""
    for report in reports:
        if report.skipped and PLUGIN.result is None:
            return " ".join(_text(report).split())
    return ""


def use_temporary(config: Any, folder: Path) -> None:
    """Make ``tmp_path`` lie in *folder*, which asv removes: processes that are forked do not clean up."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is not None:
        factory._given_basetemp, factory._basetemp = folder, None  # noqa: SLF001 - pytest has no public way


def wanted() -> list[str]:
    """Return the files to collect: that of the benchmark which asv runs in this process alone, else all."""
    if sys.argv[1:2] == ["run"] and len(sys.argv) > 3:
        return [path for module, path in PROJECT["files"].items() if sys.argv[3].startswith(f"{module}.")]
    return list(PROJECT["files"].values())


def start() -> Collected:
    """Configure pytest and collect the files, all at once: fixtures belong to the folders of one collection."""
    options = ["-s", "-q", "-p", "no:randomly", "-p", "no:random_order", "-p", "no:cacheprovider"]
    options += ["--rootdir", ROOT, "-o", "addopts=", "-o", "pythonpath=", "-o", "strict_config=false"]
    options += ["-o", "timeout=0", *PROJECT["options"], "-W", "ignore::pytest.PytestWarning"]  # not the project's own
    files = [name for name in (str(Path(ROOT, path)) for path in wanted()) if Path(name).is_file()]
    back, argv = Path.cwd(), sys.argv
    sys.argv = ["pytest", *options, "--codspeed", *files]  # conftest.py may read it; files may skip themselves without
    sys.path[:] = [str(Path(entry).absolute()) for entry in sys.path]  # "" would become the root, with the sources
    os.chdir(ROOT)
    try:
        config = _prepareconfig([*options, *files], [PLUGIN])
        config._do_configure()  # noqa: SLF001 - pytest.main would also run and end
        # behind the installed project, which lies there too
        sys.path += [str(Path(ROOT, folder)) for folder in PROJECT["pythonpath"]]
        session = Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        items = session.perform_collect(files)
        session.testsfailed = 0
    finally:
        sys.argv = argv
        os.chdir(back)
    check_imports()
    found: Collected = {name: [] for name in files}
    for item in items:
        found.setdefault(str(item.path), []).append(item)
    return found


def collect(module: str, path: str) -> dict[str, Any]:
    """Return functions and classes that asv_runner takes for benchmarks: the tests in the file *path* that measure.

    Raises TestFailedError if the file cannot be imported, or is skipped.
    """
    if not ITEMS:
        ITEMS.update(start())
    for report in PLUGIN.collected:
        if report.nodeid.partition("::")[0] == path:
            raise TestFailedError(f"{path}: {report.outcome}: {_text(report)[-MAX_TEXT:]}")
    items = ITEMS.get(str(Path(ROOT, path)), [])
    groups: dict[tuple[str, str], list[Any]] = {}
    for item in items:
        if uses_fixture(item) or measures_whole(item):
            classes = "_".join(part.name for part in item.listchain() if isinstance(part, pytest.Class))
            groups.setdefault((classes, getattr(item, "originalname", None) or item.name), []).append(item)
    found: dict[str, Any] = {}
    for (of_class, name), tests in groups.items():
        benchmark = benchmark_of(f"{module.partition('.')[2]}.{of_class + '.' if of_class else ''}{name}", tests)
        if of_class:
            found.setdefault(of_class, type(of_class, (), {"__module__": module}))
            setattr(found[of_class], name, benchmark)
        else:
            found[name] = benchmark
    return found


def _text(report: Any) -> str:
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longreprtext)


def check_imports() -> None:
    """Raise TestFailedError if tests import the project from the work tree: both commits would run the same code."""
    files = {name: str(getattr(module, "__file__", "")) for name, module in [*sys.modules.items()] if "." not in name}
    ours = {name for name, file in files.items() if file.startswith(ROOT + os.sep) and "site-packages" not in file}
    ours -= {__name__, "conftest", *(Path(path).stem for path in PROJECT["files"].values())}
    for name in ours.intersection(importlib.metadata.packages_distributions() if ours else ()):  # reads all metadata
        raise TestFailedError(
            f"the tests import {name} from {files[name]}, not the build that is measured; something puts that folder "
            "in front of the installed packages, such as sys.path in conftest.py: remove it there"
        )


def benchmark_of(name: str, tests: Sequence[Any]) -> Callable[..., None]:
    """Return the function that asv_runner takes for the benchmark *name*: *tests* are its parameter combinations."""
    names, values, cells = axes([getattr(each, "callspec", None) for each in tests])

    def benchmark(self: Any = None, *_: Any) -> None:
        """Stand for a test, which `PytestBenchmark.do_run` runs."""

    function = FunctionType(benchmark.__code__, {}, name.rpartition(".")[2], benchmark.__defaults__)
    KnownNames.names.add(function.__name__)
    source, items = source_of(tests[0]), dict(zip(cells, tests, strict=True))
    function.__dict__.update(
        benchmark_name=name,
        pretty_name=tests[0].nodeid.partition("[")[0],
        pretty_source=source,
        version=hashlib.sha256(" ".join(source.split()).encode()).hexdigest(),
        params=values,
        param_names=names,
        _items=items,
        _markers=markers_of([items.get(cell, tests[0]) for cell in itertools.product(*values)]),
    )
    return function


def markers_of(tests: Sequence[Any]) -> list[list[str]]:
    """Return the names of the markers of each test; one list if all have the same."""
    found = [sorted({marker.name for marker in test.iter_markers()}) for test in tests]
    return found if any(each != found[0] for each in found) else found[:1]


def source_of(item: Any) -> str:
    """Return the source text of a test; its name where Python cannot find it."""
    try:
        return textwrap.dedent(inspect.getsource(inspect.unwrap(item.obj)))
    except (OSError, TypeError):
        return str(item.name)


def axes(specs: Sequence[Any]) -> tuple[list[str], list[list[Any]], list[tuple[Any, ...]]]:
    """Return names and values of the parameters of a test, and the combination of each of its cases.

    Each ``parametrize`` is one parameter, if the cases are all of their combinations; else there is one for all, whose
    values are pytest's names of the cases.
    """
    if all(spec is None for spec in specs):
        return [], [], [()] if len(specs) == 1 else _single([str(number) for number in range(len(specs))])[2]
    cells = [tuple(getattr(spec, "_idlist", ())) for spec in specs]
    columns = list(zip(*cells, strict=False))
    values = [list(dict.fromkeys(column)) for column in columns]
    full = len(set(map(len, cells))) == 1 and math.prod(map(len, values)) == len(set(cells)) == len(cells)
    if not full or not columns:
        return _single([spec.id if spec else str(number) for number, spec in enumerate(specs)])
    names = [_axis_name(specs, column, number) for number, column in enumerate(columns)]
    plain = [[_number(each) for each in column] for column in values]
    return names, plain, [tuple(map(_number, cell)) for cell in cells]


def _single(ids: Sequence[str]) -> tuple[list[str], list[list[Any]], list[tuple[Any, ...]]]:
    unique = [one if ids.index(one) == number else f"{one} ({number})" for number, one in enumerate(ids)]
    return ["case"], [list(map(_number, unique))], [(_number(one),) for one in unique]


def _axis_name(specs: Sequence[Any], column: Sequence[str], number: int) -> str:
    """Return the arguments whose values change with *column*, which has pytest's names of them."""

    def follows(name: str) -> bool:
        values = [repr(spec.params.get(name)) for spec in specs]
        return len(set(zip(column, values, strict=True))) == len(set(column)) and len(set(values)) > 1

    found = list(filter(follows, specs[0].params))
    if not found and len(specs[0].params) == len(specs[0]._idlist):  # noqa: SLF001 - all values of one argument are equal
        found = list(specs[0].params)[number : number + 1]
    return ",".join(found) or f"param{number + 1}"


def _number(text: str) -> Any:
    """Return the whole number that *text* writes, so that axes are in order; else the text."""
    return int(text) if re.fullmatch(r"0|-?[1-9]\d{0,17}", text, re.ASCII) else text


PLUGIN = Plugin()
ITEMS: Collected = {}
"""The tests that were collected, by file."""
asv_runner.benchmarks.benchmark_types[:] = [PytestBenchmark]

"""The reach map of an installed commit: which functions of the project each case runs.

`reach_runner` runs each case in a process of its own and names files as Python does. Here they get their paths in the
repository: that whose end is the name of the file, and that with the same content, wherever the build has put it. The
map is kept in a file, so that a case of a commit runs for it only once.
"""

import contextlib
import os
import tempfile
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from windtunnel import files, formats
from windtunnel.asv import protocol
from windtunnel.asv.configuration import suite_digest
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.measure import InstalledCommit, SetupCaches
from windtunnel.asv.runner_process import RunnerProcess
from windtunnel.asv.suite import CannotContinueError, python_build, step
from windtunnel.errors import DataError
from windtunnel.git.branch import blob_hash
from windtunnel.git.process import Git
from windtunnel.model.benchmark import COUNTS_OF
from windtunnel.model.reach_map import Functions, MappedCase, ReachMap
from windtunnel.model.run_format import error_line
from windtunnel.model.schedule import CountedCase

SCRIPT = Path(__file__).with_name("reach_runner.py")

MAX_SECONDS = 60.0
"""Seconds that a case may run for the map, if its own timeout is not shorter; a longer one counts as reached."""

MAX_IMPORT_SECONDS = 600.0
"""Seconds that the import of a module of the suite may take, and a setup_cache without a timeout of its own."""

MAX_MEASURED_SECONDS = 1800.0
"""Seconds that the map of a measured commit may take; 283 cases took 33 s beside the import."""

MAX_TOTAL_SECONDS = 86_400.0
"""Seconds that a map without a limit may take."""

SLACK = 60.0
"""Seconds for what a process does beside a case and its setup_cache."""

MIN_CASES = 20
"""Cases for which one more process imports their module."""

MAX_COPIES = 5
"""Paths with the same content that a file may have come from; more have as good as none, such as empty files."""

MAX_KEPT = 10
"""Maps that are kept of an environment, the newest."""


def map_cases(
    request: protocol.MapCases, commit: InstalledCommit, repository: str, name: str, emit: protocol.Emit
) -> None:
    """Complete the map in the file of *request* with its cases; *name* is the commit's hash.

    A case that has not ended in time has no entry, and neither has one whose module is still imported then.
    """
    known = _load(Path(request.file), ReachMap(suite=suite_digest(Path(commit.suite)), build=python_build(commit.env)))
    missing = [case for case in request.cases if case_key(case) not in known.cases]
    if not missing:
        return
    modules: dict[str, list[CountedCase]] = defaultdict(list)
    for case in missing:
        modules[find_module(commit.suite, case.benchmark)].append(case)
    ends = float("inf") if request.seconds is None else monotonic() + request.seconds
    maker = MapMaker(commit=commit, project=ProjectFiles(repository, name), map=known, ends=ends, emit=emit)
    alarm = threading.Timer(0.0 if request.seconds is None else request.seconds, maker.stop)
    alarm.daemon = True
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        if request.seconds is not None:
            alarm.start()
        work = [
            pool.submit(maker.run, module, part) for module, cases in modules.items() for part in _parts(cases, commit)
        ]
        try:
            for each in work:
                each.result()
        finally:
            alarm.cancel()
            maker.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            _save(maker.map, Path(request.file))


def _parts(cases: Sequence[CountedCase], commit: InstalledCommit) -> list[Sequence[CountedCase]]:
    """Return the *cases* of one module in parts that run at once; those with a setup_cache stay together."""
    cached = any(commit.entries[case.benchmark].get("setup_cache_key") for case in cases)
    parts = 1 if cached else min(os.cpu_count() or 1, 1 + len(cases) // MIN_CASES)
    return [cases[number::parts] for number in range(parts)]


def case_key(case: CountedCase) -> str:
    """Return the key of *case* in the map."""
    return f"{case.benchmark}-{case.index}"


def find_module(suite: str, benchmark: str) -> str:
    """Return the module of the folder *suite* that asv_runner imports for *benchmark*; empty for all of them."""
    parts = benchmark.split(".")
    for count in (1, 2):
        if Path(suite, *parts[:-count]).with_suffix(".py").is_file() and parts[:-count]:
            return ".".join(parts[:-count])
    return ""


def map_measured(request: protocol.Measure, commit: InstalledCommit, repository: str, emit: protocol.Emit) -> None:
    """Write the map of the cases that were timed to the file that *request* names.

    A map that cannot be made does not fail the task; the next run makes one.
    """
    timed = [each for each in request.selections if not commit.entries[each.benchmark].get(COUNTS_OF)]
    cases = tuple(
        CountedCase(commit="head", benchmark=each.benchmark, index=case.index) for each in timed for case in each.cases
    )
    further = protocol.MapCases(cases=cases, file=request.map, seconds=MAX_MEASURED_SECONDS)
    try:
        with step("finding what cases run"), in_every_benchmark():
            map_cases(further, commit, repository, request.commit, emit)
    except CannotContinueError as error:
        emit(protocol.Working(text=f"{error.step} failed: {error_line(error.reason)}"))


def _load(path: Path, empty: ReachMap) -> ReachMap:
    """Return the map in the file *path*; the *empty* one unless it is of the same suite and Python."""
    with contextlib.suppress(OSError, DataError):
        known = formats.decode(path.read_bytes(), ReachMap, str(path))
        if (known.suite, known.build) == (empty.suite, empty.build):
            return known
    return empty


def _save(found: ReachMap, path: Path) -> None:
    """Replace the map in the file *path*, and remove the oldest ones beside it."""
    files.write_atomically(path, formats.encode(found))
    maps = sorted(path.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)
    for old in maps[:-MAX_KEPT]:
        old.unlink(missing_ok=True)


class ProjectFiles:
    """The Python files that a commit has in the repository."""

    def __init__(self, repository: str, commit: str) -> None:
        """Read their paths and digests."""
        self._ends: dict[str, list[str]] = defaultdict(list)
        self._contents: dict[str, list[str]] = defaultdict(list)
        self._known: dict[str, tuple[str, ...]] = {}
        git = Git(directory=Path(repository), env=os.environ)
        listed = git.bytes("ls-tree", "-r", "-z", "--full-tree", commit).decode("utf-8", "replace")
        for line in listed.split("\0"):
            about, _, path = line.partition("\t")
            if path.endswith(".py"):
                parts = path.split("/")
                for start in range(len(parts)):
                    self._ends["/".join(parts[start:])].append(path)
                self._contents[about.rpartition(" ")[2]].append(path)

    def paths(self, file: str, name: str) -> tuple[str, ...]:
        """Return where *file* may come from, which Python finds under *name*; nothing for a file of another project."""
        if file not in self._known:
            same: list[str] = []
            with contextlib.suppress(OSError, ValueError):
                same = self._contents.get(blob_hash(Path(file).read_bytes()), [])
            ends = self._ends.get(name, [])
            both = [path for path in ends if path in same]
            self._known[file] = tuple(both or dict.fromkeys([*ends, *(same if len(same) <= MAX_COPIES else [])]))
        return self._known[file]

    def functions(self, found: Sequence[tuple[str, str, list[str]]]) -> Functions:
        """Return what a runner reports, by path in the repository."""
        names: dict[str, set[str]] = defaultdict(set)
        for file, name, functions in found:
            for path in self.paths(file, name):
                names[path].update(functions)
        return {path: tuple(sorted(each)) for path, each in names.items()}


@dataclass(slots=True, kw_only=True)
class MapMaker:
    """A map while it is completed, by a process for each module of the suite."""

    commit: InstalledCommit
    project: ProjectFiles
    map: ReachMap
    ends: float
    """When no further case begins, by the monotonic clock."""
    emit: protocol.Emit
    _running: list[RunnerProcess] = field(default_factory=list)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    """Held to change the map, or to emit."""

    def run(self, module: str, cases: Sequence[CountedCase]) -> None:
        """Add *cases* of one *module*: in one process, and in further ones while each adds at least one of them."""
        left = list(cases)
        while left and monotonic() < self.ends:
            with tempfile.TemporaryDirectory(prefix="windtunnel-reach-") as folder:
                self._run(module, left, folder)
            before, left = len(left), [case for case in left if case_key(case) not in self.map.cases]
            if len(left) == before:
                return

    def stop(self) -> None:
        """End all processes; what they report from now on is of their end, and not kept."""
        with self._turn:
            self.ends = float("-inf")
            running = tuple(self._running)
        for each in running:
            each.kill()

    def _run(self, module: str, cases: Sequence[CountedCase], folder: str) -> None:
        entries = [self.commit.entries[case.benchmark] for case in cases]
        plain = {name: {**entry, "setup_cache_key": None} for name, entry in self.commit.entries.items()}
        commit = replace(self.commit, entries=plain, caches=SetupCaches(entries=plain, create=_no_cache))
        limits = [min(MAX_SECONDS, float(entry["timeout"])) for entry in entries]
        cached = max([MAX_IMPORT_SECONDS, *(float(entry.get("setup_cache_timeout") or 0) for entry in entries)])
        further = {
            "keys": [entry.get("setup_cache_key") or "" for entry in entries],
            "limits": limits,
            "cache_seconds": cached,
            "seconds": min(MAX_TOTAL_SECONDS, self.ends - monotonic()),
        }
        timeouts = [cached + limit + SLACK for limit in limits]
        process = RunnerProcess(runner=SCRIPT, commit=commit, cases=cases, folder=folder, timeouts=timeouts)
        with self._turn:
            self._running.append(process)
            if self.ends == float("-inf"):
                return
        with contextlib.closing(process.events(further)) as events:
            for event in events:
                self._add(module, cases[event["case"]], event)

    def _add(self, module: str, case: CountedCase, event: Mapping[str, Any]) -> None:
        """Add what a process reports of *case*, or of the import."""
        with self._turn:
            if self.ends == float("-inf"):
                return
            if "imported" in event:
                self.map.imports[module] = self.project.functions(event["imported"])
                return
            reason = event.get("failed") or event.get("reason")
            self.map.cases[case_key(case)] = MappedCase(
                module=module,
                functions=self.project.functions(event.get("functions", ())),
                reason=error_line(reason) if reason else "",
            )
            self.emit(protocol.CaseMapped(case=case))


def _no_cache(*_: object) -> tuple[None, str]:
    """Create no setup_cache: the process that maps makes its own, to see what that runs."""
    return None, ""

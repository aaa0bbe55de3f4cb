"""Counts the instructions that a call of a case takes: runs cases under valgrind, once for each hash seed."""

import contextlib
import os
import queue
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from threading import Lock
from time import monotonic
from typing import Any

from asv import util

from windtunnel.asv.instruction_forks import BUSY_FACTOR
from windtunnel.asv.measure import MAX_OUTPUT, InstalledCommit
from windtunnel.asv.runner_process import RunnerProcess
from windtunnel.model.schedule import COMPARED_COMMITS, ComparedCommit, CountedCase, InstructionCounts

RUNNER = Path(__file__).with_name("instruction_runner.py")

MAX_SECONDS = 180.0
"""Seconds of processor time for a case with one hash seed: enough for two calls of a second, which take 40 s each."""

MAX_CLOCK_SECONDS = 900.0
"""Seconds that a case with one hash seed may wait: for sleeps and locks, not for other programs on the machine."""

MAX_IMPORT_SECONDS = 600.0
"""Seconds for the import of the suite under valgrind, beside those of a case."""

TUNABLES = (
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI1,-BMI2,-LZCNT,-MOVBE,-RTM,-ERMS,-FSRM,-SSE4_1,-SSE4_2,"
    "-SSSE3:glibc.malloc.tcache_count=65535:glibc.malloc.mxfast=0:glibc.malloc.mmap_threshold=33554432"
    ":glibc.malloc.trim_threshold=4294967296:glibc.malloc.top_pad=67108864"
)
"""What makes glibc execute the same instructions for the same work.

The functions for the oldest 64-bit processors of Intel and AMD; on another architecture without effect. A malloc that
keeps all that is freed, small blocks in lists without a limit: how long it takes hardly depends on what lies where.
"""

LATE = "the time for counting had run out"

HELP = "sudo apt-get install valgrind"
"""The command that installs what counting needs."""

BALLAST = 64
"""Objects of a seed's own sizes that each process allocates first, so that seeds differ in where objects lie, too."""


def missing_tool() -> str:
    """Return why nothing can be counted on this machine, and how to change that; empty if it can."""
    if not sys.platform.startswith("linux"):
        return "instructions are counted on Linux only"
    if shutil.which("valgrind") is None:
        return f"instructions are counted with valgrind, which is missing: {HELP}"
    return ""


def why_not(environment: Any) -> str:
    """Return why nothing can be counted in asv's *environment*, and how to change that; empty if it can."""
    if missing := missing_tool():
        return missing
    try:
        name = str(environment.run(["-c", "import sys; print(sys.implementation.name)"], dots=False)).strip()
    except (util.ProcessError, OSError) as error:
        return f"the Python of the environment does not start: {error}"
    if name != "cpython":
        return f"instructions are counted with CPython only: {name} compiles while it runs, so equal calls differ"
    return ""


@cache
def toolchain() -> str:
    """Return the name and version of what counts, such as ``valgrind 3.19.0``; empty if it is missing."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.strip().replace("-", " ", 1)
    return ""


@cache
def command(folder: str) -> tuple[str, ...]:
    """Return the command that counts the Python that follows it; each process writes its total to *folder*.

    The processes have the same addresses each time where the system permits that: some containers do not.
    """
    fixed: tuple[str, ...] = ("setarch", "-R")
    try:
        subprocess.run([*fixed, "true"], capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        fixed = ()
    out_file = folder.replace("%", "%%")
    return (
        *fixed,
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=no",
        "--vgdb=no",
        "--quiet",
        f"--cachegrind-out-file={out_file}/%p",
    )


def count_cases(
    commits: Mapping[ComparedCommit, InstalledCommit],
    cases: Sequence[CountedCase],
    seeds: Sequence[int],
    seconds: float | None = None,
) -> Iterator[tuple[CountedCase, InstructionCounts]]:
    """Yield the counts of each case, or why there are none; the processes of the seeds run side by side.

    Closing the iterator ends them, and so does the end of *seconds*.
    """
    reasons = {commit: why_not(commits[commit].env) for commit in {case.commit for case in cases}}
    ends = None if seconds is None else monotonic() + seconds
    counting = Counting(commits=commits, seeds=tuple(seeds), ends=ends)
    for case in dict.fromkeys(cases):
        commit = commits[case.commit]
        reason = reasons[case.commit] or commit.caches.get(commit.entries[case.benchmark]).failure
        if reason:
            yield case, without_counts(reason)
        else:
            counting.left[case] = {}
    if counting.left:
        yield from counting.run()


def without_counts(reason: str) -> InstructionCounts:
    """Return the counts of a case that has none."""
    return InstructionCounts(reason=reason.strip()[-MAX_OUTPUT:] or "the benchmark gave no reason")


@dataclass(slots=True, kw_only=True)
class Counting:
    """The processes of a request."""

    commits: Mapping[ComparedCommit, InstalledCommit]
    seeds: tuple[int, ...]
    left: dict[CountedCase, dict[int, dict[str, Any]]] = field(default_factory=dict)
    """Cases without an outcome, each with what the seeds gave so far."""
    ends: float | None = None
    """When to stop, by the monotonic clock."""
    _events: "queue.SimpleQueue[tuple[int, CountedCase, dict[str, Any]] | None]" = field(
        default_factory=queue.SimpleQueue
    )
    """A hash seed, a case, and what its process says; None when a process has ended."""
    _running: list[RunnerProcess] = field(default_factory=list)
    _is_stopped: bool = False
    _turns: dict[ComparedCommit, Lock] = field(default_factory=lambda: {commit: Lock() for commit in COMPARED_COMMITS})

    def run(self) -> Iterator[tuple[CountedCase, InstructionCounts]]:
        """Run a process for each commit and seed; yield each case when all its seeds are there, or one has failed."""
        commits = dict.fromkeys(case.commit for case in self.left)
        jobs = [(commit, seed) for seed in self.seeds for commit in commits]
        reason = "the process that counts ended before it came to this case"
        with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
            for job in jobs:
                pool.submit(self._work, *job)
            try:
                ended = 0
                while ended < len(jobs):
                    timeout = None if self.ends is None else max(0.0, self.ends - monotonic())
                    if (event := self._events.get(timeout=timeout)) is None:
                        ended += 1
                    else:
                        yield from self._taken(*event)
            except queue.Empty:
                reason = LATE
            finally:
                self._is_stopped = True
                pool.shutdown(wait=False, cancel_futures=True)
                for process in self._running:
                    process.kill()
        for case in self.left:
            yield case, without_counts(reason)

    def _taken(
        self, seed: int, case: CountedCase, event: dict[str, Any]
    ) -> Iterator[tuple[CountedCase, InstructionCounts]]:
        """Note what a process says of a case; yield the case if its outcome is known now."""
        found = self.left.get(case)
        if found is None:  # another seed has failed
            return
        if "instructions" not in event:
            del self.left[case]
            yield case, without_counts(event.get("failed") or event["skipped"])
            return
        found[seed] = event
        if len(found) == len(self.seeds):
            del self.left[case]
            events = [found[each] for each in self.seeds]
            yield (
                case,
                InstructionCounts(
                    per_call=tuple(round(each["instructions"], 2) for each in events),
                    calls=min(each["calls"] for each in events),
                    other_threads=any(each["other"] for each in events),
                ),
            )

    def _work(self, which: ComparedCommit, seed: int) -> None:
        """Count the cases of a commit that are left with one hash seed; in turns where they share a cache's folder."""
        try:
            cases = [case for case in tuple(self.left) if case.commit == which]
            commit = self.commits[which]
            shares = any(commit.entries[case.benchmark].get("setup_cache_key") for case in cases)
            with self._turns[which] if shares else contextlib.nullcontext():
                if cases and not self._is_stopped:
                    self._count(commit, seed, cases)
        finally:
            self._events.put(None)

    def _count(self, commit: InstalledCommit, seed: int, cases: Sequence[CountedCase]) -> None:
        with tempfile.TemporaryDirectory(prefix="windtunnel-count-") as folder:
            counts, sizes = Path(folder) / "counts", Random(seed)  # noqa: S311 - any sizes, the same each time
            counts.mkdir()
            timeouts = [BUSY_FACTOR * MAX_CLOCK_SECONDS + MAX_IMPORT_SECONDS] * len(cases)
            variables = {"PYTHONHASHSEED": str(seed), "GLIBC_TUNABLES": _tunables(os.environ, commit.env.env_vars)}
            process = RunnerProcess(
                runner=RUNNER, commit=commit, cases=cases, folder=folder, timeouts=timeouts, variables=variables
            )
            self._running.append(process)
            request = {
                "command": command(str(counts)),
                "counts": str(counts),
                "seconds": MAX_SECONDS,
                "clock_seconds": MAX_CLOCK_SECONDS,
                "ballast": [sizes.randrange(16, 4096) for _ in range(BALLAST)],
            }
            with contextlib.closing(process.events(request)) as events:
                for event in events:
                    self._events.put((seed, cases[event["case"]], event))


def _tunables(*variables: Mapping[str, str]) -> str:
    """Return GLIBC_TUNABLES with ours after those that are set."""
    own = [found for each in variables if (found := each.get("GLIBC_TUNABLES"))]
    return ":".join([*own[-1:], TUNABLES])

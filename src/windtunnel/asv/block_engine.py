"""Builds one commit and measures blocks of its cases: in one process that opens all of them, or in separate ones."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Container, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, time
from typing import IO, Any

from asv import util
from asv.runner import Spawner, run_benchmark

from windtunnel.asv.background_load import BackgroundLoad
from windtunnel.asv.discovery import discover_modules, write_benchmarks
from windtunnel.asv.launcher import ends_with_us, in_every_benchmark
from windtunnel.asv.measure import SetupCaches, prepare_environment, process_ending, process_outcome, read_entries
from windtunnel.asv.paired_engine import is_finite, short_sampling
from windtunnel.asv.protocol import (
    BlockCase,
    BlockEnded,
    BlocksReady,
    CaseAbsence,
    CaseVisit,
    Emit,
    MeasureBlock,
    PrepareBlocks,
)
from windtunnel.asv.suite import CannotContinueError, find_environment, load, step
from windtunnel.model.run_format import CaseState

RUNNER = Path(__file__).with_name("block_runner.py")

IMPORT, EXIT = "the import of the suite", "exit"
"""The steps of a process before and after those of its cases."""

MAX_OUTPUT = 2000
"""Characters of a reason that are kept: its end, which holds the error."""

MAX_ERRORS = 100_000
"""Bytes of a process's own output that are kept: the end."""

SHUTDOWN_TIMEOUT = 5.0
"""Seconds for a process to tear down after SIGTERM, and to end after its last teardown."""

NOT_FINITE = "the benchmark returned a number that is infinite or beyond 1e308; return a finite one"

Numbers = dict[BlockCase, int]
"""Calls per sample of each case, from its first run."""


def measure_blocks(request: PrepareBlocks, receive: Callable[[], MeasureBlock], emit: Emit) -> None:
    """Build and install the commit and write its benchmarks; then run blocks as requested, until interrupted."""
    with step("configuration"):
        conf = load(request.config, request.repository)
        env = find_environment(conf, request.environment, (request.python,))
    prepare_environment(conf, env, request.commit, request.builds, emit)
    with in_every_benchmark(), step("discovery"):
        found, problems = discover_modules(env, conf.benchmark_dir)
    if problems and not found:
        raise CannotContinueError("discovery", next(iter(problems.values())))
    write_benchmarks(found, request.out)
    entries = read_entries(Path(request.out), conf)
    spawner = Spawner(env, conf.benchmark_dir)
    with (
        in_every_benchmark(),
        contextlib.closing(SetupCaches(entries=entries, create=spawner.create_setup_cache)) as caches,
    ):
        blocks = Blocks(env=env, spawner=spawner, entries=entries, caches=caches)
        emit(BlocksReady(problems=problems))
        while True:
            emit(blocks.run(receive()))


@dataclass(slots=True, kw_only=True)
class Blocks:
    """The blocks of an installed commit."""

    env: Any
    spawner: Any
    """asv's Spawner: each process is a new Python."""
    entries: dict[str, dict[str, Any]]
    """Entries of benchmarks.json, by name."""
    caches: SetupCaches
    numbers: Numbers = field(default_factory=dict)

    def run(self, request: MeasureBlock) -> BlockEnded:
        """Run one block."""
        absences = dict(self._without_cache(request.cases))
        started_at, started, load_meter = time(), monotonic(), BackgroundLoad()
        order = tuple(case for case in request.order if case not in absences)
        if request.separate:
            visits = tuple(self._separate(request.cases, order, absences))
        else:
            visits = tuple(self._shared(request.cases, order, absences))
        return BlockEnded(
            started=started_at,
            seconds=monotonic() - started,
            visits=_complete(visits, request.order, absences),
            absences=tuple(absences.values()),
            background_load=load_meter.processors(),
        )

    def _without_cache(self, cases: Sequence[BlockCase]) -> Iterator[tuple[int, CaseAbsence]]:
        """Yield the cases whose setup_cache failed; the caches of the others are computed."""
        for number, case in enumerate(cases):
            if failure := self.caches.get(self.entries[case.benchmark]).failure:
                yield number, _absence(number, CaseState.FAILED, failure)

    def _separate(
        self, cases: Sequence[BlockCase], order: Sequence[int], absences: dict[int, CaseAbsence]
    ) -> Iterator[CaseVisit]:
        """Run each case in a process of asv; add to *absences* what has no value."""
        for number in order:
            case = cases[number]
            if number in absences:
                continue
            entry = self.entries[case.benchmark]
            try:
                result = run_benchmark(
                    entry,
                    self.spawner,
                    profile=False,
                    selected_idx={case.index},
                    extra_params=short_sampling(self.numbers.get(case)),
                    cwd=self.caches.get(entry).folder,
                )
            except util.UserError:  # so does asv report an interrupt
                raise KeyboardInterrupt from None
            value, samples = result.result[case.index], result.samples[case.index]
            if samples is not None:
                self.numbers[case] = int(result.number[case.index])
            outcome = _outcome(number, value, samples, result.stderr, result.errcode)
            if isinstance(outcome, CaseAbsence):
                absences[number] = outcome
            else:
                yield outcome

    def _shared(
        self, cases: Sequence[BlockCase], order: Sequence[int], absences: dict[int, CaseAbsence]
    ) -> Iterator[CaseVisit]:
        """Run all cases in one process; add to *absences* what has no value, and what it did not reach."""
        with tempfile.TemporaryDirectory(prefix="windtunnel-block-") as folder:
            file = Path(folder) / "block.json"
            file.write_text(json.dumps(self._description(cases, order, Path(folder))), encoding="utf-8")
            timeouts = [float(self.entries[case.benchmark]["timeout"]) for case in cases]
            process = BlockProcess(env=self.env, folder=folder, timeouts=timeouts)
            with contextlib.closing(process.events(str(file))) as events:
                for event in events:
                    outcome = self._taken(cases, event)
                    if isinstance(outcome, CaseAbsence):
                        absences.setdefault(outcome.case, outcome)
                    else:
                        yield outcome

    def _taken(self, cases: Sequence[BlockCase], event: dict[str, Any]) -> CaseVisit | CaseAbsence:
        """Return what a report of the process says of a case; note its calls per sample."""
        number = event["case"]
        if "failed" in event:
            return _absence(number, CaseState.FAILED, event["failed"])
        if "skipped" in event:
            return _absence(number, CaseState.SKIPPED, event["skipped"])
        if "number" in event:
            self.numbers.setdefault(cases[number], int(event["number"]))
        return _outcome(number, event.get("value", True), event.get("samples"))

    def _description(self, cases: Sequence[BlockCase], order: Sequence[int], folder: Path) -> dict[str, Any]:
        """Return what `block_runner` reads."""

        def name(case: BlockCase) -> str:
            return f"{case.benchmark}-{case.index}" if self.entries[case.benchmark]["params"] else case.benchmark

        folders = [folder / str(number) for number in range(len(cases))]
        for each in folders:
            each.mkdir()
        return {
            "suite": os.path.abspath(self.spawner.benchmark_dir),  # noqa: PTH100 - as asv names it
            "order": order,
            "folders": [str(each) for each in folders],
            "cases": [
                {
                    "name": name(case),
                    "attributes": short_sampling(self.numbers.get(case)),
                    "cache": self.caches.get(self.entries[case.benchmark]).folder,
                }
                for case in cases
            ],
        }


@dataclass(slots=True, kw_only=True)
class BlockProcess:
    """The process of a block."""

    env: Any
    folder: str
    """Its working folder."""
    timeouts: Sequence[float]
    """Seconds that a step of each case may take."""
    errors: bytes = b""
    """The end of its own output."""

    def events(self, file: str) -> Generator[dict[str, Any]]:
        """Start the process with the description in *file*; yield what it reports, and why it did not come to its end.

        The process and everything that it started are ended in any case.
        """
        with ends_with_us():
            variables = {**os.environ, **self.env.env_vars}
            process = self.env.run([str(RUNNER), file], return_popen=True, env=variables, cwd=self.folder)
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        readers = [
            threading.Thread(target=_put_lines, args=(process.stdout, lines), daemon=True),
            threading.Thread(target=self._keep_errors, args=(process.stderr,), daemon=True),
        ]
        for reader in readers:
            reader.start()
        try:
            reached, reason = yield from self._read(process, lines)
        finally:
            _kill_group(process)
            code = process.wait()
            for reader in readers:
                reader.join(SHUTDOWN_TIMEOUT)
        if reached.step == EXIT:
            return
        output = self.errors.decode("utf-8", "replace")
        reason = reason or f"{output}\n{process_ending(output, code)}\nduring {reached.step}"
        for case in range(len(self.timeouts)) if reached.step == IMPORT else (reached.case,):
            yield {"case": case, "failed": reason}

    def _read(
        self, process: "subprocess.Popen[bytes]", lines: "queue.SimpleQueue[bytes]"
    ) -> Generator[dict[str, Any], None, tuple["ReachedStep", str]]:
        """Yield the events of *process*; return the last step that it began, and what is wrong with it if it is known.

        A process whose step takes too long gets SIGTERM, and a few seconds for its teardowns.
        """
        reached, reason = ReachedStep(case=0, step=IMPORT), ""
        timeout = max(self.timeouts)
        while True:
            try:
                line = lines.get(timeout=timeout)
            except queue.Empty:
                if reason or reached.step == EXIT:
                    return reached, reason
                reason = f"timed out: {reached.step} took more than {timeout:g} s"
                timeout = SHUTDOWN_TIMEOUT
                process.terminate()
                continue
            if not line:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(SHUTDOWN_TIMEOUT)
                return reached, reason
            event = json.loads(line)
            if "step" not in event:
                yield event
            elif not reason:
                reached = ReachedStep(case=event["case"], step=event["step"])
                timeout = SHUTDOWN_TIMEOUT if reached.step == EXIT else self.timeouts[reached.case]

    def _keep_errors(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := stream.read1(65536):  # type: ignore[attr-defined]  # Popen gives a BufferedReader
                self.errors = (self.errors + chunk)[-MAX_ERRORS:]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedStep:
    """What the process of a block does."""

    case: int
    """The index of the case."""
    step: str
    """The name of the step."""


def _put_lines(stream: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(b"")


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill what is left of the process and of those that it started: asv gives it a group of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _outcome(number: int, value: object, samples: Any, output: str = "", exit_code: int = 0) -> CaseVisit | CaseAbsence:
    """Return the values of a run, else why it has none; *value* is True when the benchmark returned *samples*."""
    state, reason = process_outcome(value, samples, output, exit_code)
    if state is not CaseState.MEASURED:
        return _absence(number, state, reason)
    values = (value,) if samples is None else samples
    if not all(map(is_finite, values)):
        return _absence(number, CaseState.FAILED, NOT_FINITE)
    return CaseVisit(case=number, samples=tuple(float(f"{each:.9g}") for each in values))


def _complete(visits: Sequence[CaseVisit], order: Sequence[int], absences: Container[int]) -> tuple[CaseVisit, ...]:
    """Return the *visits* of the cases that made all their runs: of half a pair, drift would be a difference."""
    made = Counter(visit.case for visit in visits)
    wanted = Counter(order)
    return tuple(visit for visit in visits if visit.case not in absences and made[visit.case] == wanted[visit.case])


def _absence(number: int, state: CaseState, reason: str) -> CaseAbsence:
    return CaseAbsence(case=number, state=state, reason=reason.strip()[-MAX_OUTPUT:])

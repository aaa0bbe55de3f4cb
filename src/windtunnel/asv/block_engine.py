"""Builds one commit and measures blocks of its cases: in one process that opens all of them, or in separate ones."""

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, time
from typing import Any

from asv import util
from asv.runner import Spawner, run_benchmark
from msgspec.structs import replace

from windtunnel.asv import protocol
from windtunnel.asv.discovery import discover_modules, refuse_suite, write_benchmarks
from windtunnel.asv.instruction_counter import count_cases
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.machine import keep_awake, watch_background_load
from windtunnel.asv.measure import MAX_OUTPUT, InstalledCommit, SetupCaches, install, process_outcome, read_entries
from windtunnel.asv.paired_engine import NOT_FINITE, is_finite, short_sampling
from windtunnel.asv.runner_process import RunnerProcess
from windtunnel.asv.suite import CannotContinueError, open_place, step
from windtunnel.model.run_format import CaseState
from windtunnel.model.schedule import COMPARED_COMMITS, CountedCase

RUNNER = Path(__file__).with_name("block_runner.py")

Numbers = dict[CountedCase, int]
"""Calls per sample of each case, from its first run."""


def prepare(
    request: protocol.PrepareBlocks, emit: protocol.Emit, stack: contextlib.ExitStack
) -> Callable[[protocol.FurtherRequest], None]:
    """Build and install the commit and write its benchmarks; return what runs blocks and counts, until *stack* ends."""
    conf, env = open_place(request.place)
    installed = install(conf, env, request.commit, request.place.builds, emit)
    stack.enter_context(in_every_benchmark())
    with step("discovery"):
        found, problems = discover_modules(env, conf.benchmark_dir)
    if problems and not found:
        refuse_suite(problems)
    write_benchmarks(found, request.out)
    entries = read_entries(Path(request.out), conf)
    spawner = Spawner(env, conf.benchmark_dir)
    caches = stack.enter_context(contextlib.closing(SetupCaches(entries=entries, create=spawner.create_setup_cache)))
    commit = InstalledCommit(env=env, suite=conf.benchmark_dir, entries=entries, caches=caches)
    blocks = Blocks(commit=commit, spawner=spawner)
    emit(replace(installed, problems=problems))

    def execute(further: protocol.FurtherRequest) -> None:
        match further:
            case protocol.MeasureBlock():
                emit(blocks.run(further))
            case protocol.CountInstructions():
                commits = dict.fromkeys(COMPARED_COMMITS, commit)
                for case, counts in count_cases(commits, further.cases, further.seeds):
                    emit(protocol.InstructionsCounted(case=case, counts=counts))
            case _:
                raise CannotContinueError("request", f"{type(further).__name__} is not of blocks")

    return execute


@dataclass(slots=True, kw_only=True)
class Blocks:
    """The blocks of an installed commit."""

    commit: InstalledCommit
    spawner: Any
    """asv's Spawner: each process is a new Python."""
    numbers: Numbers = field(default_factory=dict)

    def run(self, request: protocol.MeasureBlock) -> protocol.BlockEnded:
        """Run one block."""
        absences = dict(self._without_cache(request.cases))
        started_at, started, background_load = time(), monotonic(), watch_background_load()
        order = tuple(case for case in request.order if case not in absences)
        run = self._separate if request.separate else self._shared
        with keep_awake() if request.awake else contextlib.nullcontext("") as awake:
            visits = tuple(run(request.cases, order, absences))
        return protocol.BlockEnded(
            started=started_at,
            seconds=monotonic() - started,
            visits=_complete(visits, request.order, absences),
            absences=tuple(absences.values()),
            background_load=background_load(),
            awake=awake,
        )

    def _without_cache(self, cases: Sequence[CountedCase]) -> Iterator[tuple[int, protocol.CaseAbsence]]:
        """Yield the cases whose setup_cache failed; the caches of the others are computed."""
        for number, case in enumerate(cases):
            if failure := self.commit.caches.get(self.commit.entries[case.benchmark]).failure:
                yield number, _absence(number, "failed", failure)

    def _separate(
        self, cases: Sequence[CountedCase], order: Sequence[int], absences: dict[int, protocol.CaseAbsence]
    ) -> Iterator[protocol.CaseVisit]:
        """Run each case in a process of asv; add to *absences* what has no value."""
        for number in order:
            case = cases[number]
            if number in absences:
                continue
            entry = self.commit.entries[case.benchmark]
            try:
                result = run_benchmark(
                    entry,
                    self.spawner,
                    profile=False,
                    selected_idx={case.index},
                    extra_params=short_sampling(self.numbers.get(case)),
                    cwd=self.commit.caches.get(entry).folder,
                )
            except util.UserError:  # so does asv report an interrupt
                raise KeyboardInterrupt from None
            value, samples = result.result[case.index], result.samples[case.index]
            if samples is not None:
                self.numbers[case] = int(result.number[case.index])
            outcome = _outcome(number, value, samples, result.stderr, result.errcode)
            if isinstance(outcome, protocol.CaseAbsence):
                absences[number] = outcome
            else:
                yield outcome

    def _shared(
        self, cases: Sequence[CountedCase], order: Sequence[int], absences: dict[int, protocol.CaseAbsence]
    ) -> Iterator[protocol.CaseVisit]:
        """Run all cases in one process; add to *absences* what has no value, and what it did not reach."""
        with tempfile.TemporaryDirectory(prefix="windtunnel-block-") as folder:
            timeouts = [float(self.commit.entries[case.benchmark]["timeout"]) for case in cases]
            process = RunnerProcess(runner=RUNNER, commit=self.commit, cases=cases, folder=folder, timeouts=timeouts)
            attributes = [short_sampling(self.numbers.get(case)) for case in cases]
            with contextlib.closing(process.events({"order": order, "attributes": attributes})) as events:
                for event in events:
                    outcome = self._taken(cases, event)
                    if isinstance(outcome, protocol.CaseAbsence):
                        absences.setdefault(outcome.case, outcome)
                    else:
                        yield outcome

    def _taken(self, cases: Sequence[CountedCase], event: dict[str, Any]) -> protocol.CaseVisit | protocol.CaseAbsence:
        """Return what a report of the process says of a case; note its calls per sample."""
        number = event["case"]
        if "failed" in event:
            return _absence(number, "failed", event["failed"])
        if "skipped" in event:
            return _absence(number, "skipped", event["skipped"])
        if "number" in event:
            self.numbers.setdefault(cases[number], int(event["number"]))
        return _outcome(number, event.get("value", True), event.get("samples"))


def _outcome(
    number: int, value: object, samples: Any, output: str = "", exit_code: int = 0
) -> protocol.CaseVisit | protocol.CaseAbsence:
    """Return the values of a run, else why it has none; *value* is True when the benchmark returned *samples*."""
    state, reason = process_outcome(value, samples, output, exit_code)
    if state != "measured":
        return _absence(number, state, reason)
    values = (value,) if samples is None else samples
    if not all(map(is_finite, values)):
        return _absence(number, "failed", NOT_FINITE)
    return protocol.CaseVisit(case=number, samples=tuple(float(f"{each:.9g}") for each in values))


def _complete(
    visits: Sequence[protocol.CaseVisit], order: Sequence[int], absences: Container[int]
) -> tuple[protocol.CaseVisit, ...]:
    """Return the *visits* of the cases that made all their runs: of half a pair, drift would be a difference."""
    made = Counter(visit.case for visit in visits)
    wanted = Counter(order)
    return tuple(visit for visit in visits if visit.case not in absences and made[visit.case] == wanted[visit.case])


def _absence(number: int, state: CaseState, reason: str) -> protocol.CaseAbsence:
    return protocol.CaseAbsence(case=number, state=state, reason=reason.strip()[-MAX_OUTPUT:])

"""Runs one shard: one engine for each task; leaves a results tree and a run record. Finds what no shard reached."""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import time

from msgspec.structs import replace

from windtunnel import formats
from windtunnel.asv import machine, protocol
from windtunnel.asv.engine_session import BrokenError, Supervisor
from windtunnel.asv.results_format.files import decode_benchmarks
from windtunnel.bench.format import Plan, Shard, Task
from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.benchmark import cases_of, counts_of
from windtunnel.model.identity import CommitHash
from windtunnel.model.reach_map import KEPT_FORMAT, KEPT_SCHEMA, MAX_MAP_BYTES, KeptMap, ReachMap, pack
from windtunnel.model.run_format import RECORD_SCHEMA, CaseRecord, MachineRecord, RunRecord, TaskRecord
from windtunnel.results.record_files import map_file
from windtunnel.results.tree import RECORD, RESULTS

Listener = Callable[[Task, protocol.Event], None]

MAP = ".reach/map.json"
"""What the engine writes of the cases of a task, in the folder of a shard; hidden from what reads results there."""

LOG = "asv.log"
"""Output of asv and of the builds, in the folder of a shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRun:
    """One shard and where it runs."""

    plan: Plan
    shard: Shard
    place: protocol.Place
    """The suite and the project, with the builds to install from."""
    out: Path
    """The folder to fill."""
    machine: MachineRecord
    supervisor: Supervisor
    mapped: Mapping[CommitHash, int] = field(default_factory=dict)
    """The commits of which a map of what cases run is kept with the results, and the author date of each."""

    def run(self, listen: Listener) -> RunRecord:
        """Time every task, pass each event to *listen*, and keep run.json up to date.

        A task that cannot be installed is recorded; the other tasks still run. Ctrl-C ends the engine and raises
        KeyboardInterrupt; run.json then says ``interrupted``, as it does after a kill.
        """
        results = self.out / RESULTS
        write_atomically(results / "benchmarks.json", self.plan.benchmarks.encode())
        write_atomically(results / self.machine.name / "machine.json", machine.for_asv(self.machine))
        record = RunRecord(
            schema=RECORD_SCHEMA,
            project=self.plan.project,
            shard=self.shard.index,
            started=time(),
            ended=time(),
            interrupted=True,
            machine=self.machine,
            tasks=(),
        )
        tasks: list[TaskProgress] = []
        try:
            for task in self.shard.tasks:
                progress = TaskProgress(task)
                tasks.append(progress)
                with closing(self._events(task)) as events:
                    for event in events:
                        progress.add(event)
                        listen(task, event)
                with suppress(DataError):  # the next run makes another
                    self._keep_map(task)
                self._write(record, tasks)
        except BaseException:
            self._write(record, tasks)
            raise
        return self._write(replace(record, interrupted=False), tasks)

    def _events(self, task: Task) -> Generator[protocol.Event]:
        """Time *task* and yield what happens, also that it cannot be installed."""
        results = self.out / RESULTS
        request = protocol.Measure(
            place=replace(self.place, pythons=(task.python,), environment=task.environment),
            commit=task.commit,
            selections=task.selections,
            benchmarks=str(results / "benchmarks.json"),
            machine=str(results / self.machine.name / "machine.json"),
            out=str(results),
            map=str(self.out / MAP) if task.commit in self.mapped else "",
        )
        try:
            yield from self.supervisor.ask(request, f"measuring {task.commit[:8]}")
        except BrokenError as error:
            yield error.event

    def _keep_map(self, task: Task) -> None:
        """Move the map that the engine has made of *task*, if any, to the results, with the names of cases."""
        path = self.out / MAP
        if not path.exists():
            return
        found = formats.decode(path.read_bytes(), ReachMap, str(path))
        path.unlink()
        path.parent.rmdir()
        if found.build is None or all(each.reason for each in found.cases.values()):
            return
        names = {f"{one.benchmark}-{case.index}": case.name for one in task.selections for case in one.cases}
        benchmarks = decode_benchmarks(self.plan.benchmarks.encode(), "plan.json").value or ()
        about = KeptMap(
            schema=KEPT_SCHEMA,
            commit=task.commit,
            date=self.mapped[task.commit],
            python=task.python,
            environment=task.environment,
            suite=found.suite,
            build=found.build,
            total=sum(len(cases_of(one)) for one in benchmarks if not counts_of(one)),
        )
        cases = {names[key]: case for key, case in found.cases.items() if key in names}
        kept = KEPT_FORMAT.encode(pack(about, replace(found, cases=cases)))
        if len(kept) <= MAX_MAP_BYTES:
            write_atomically(map_file(self.out / RESULTS, about), kept)

    def _write(self, record: RunRecord, tasks: Iterable["TaskProgress"]) -> RunRecord:
        """Write *record* with the present state as run.json and return it."""
        record = replace(record, ended=time(), tasks=tuple(task.record for task in tasks))
        write_atomically(self.out / RECORD, formats.encode_pretty(record))
        return record


class TaskProgress:
    """The record of one task while its events arrive.

    A case counts when its benchmark is saved: before that, a kill would lose its values.
    """

    def __init__(self, task: Task) -> None:
        """Begin with nothing measured."""
        self.record = _new_record(task.commit, task.python, task.environment, task.cases)
        self._versions = {each.benchmark: each.version for each in task.selections}
        self._unsaved: dict[str, CaseRecord] = {}

    def add(self, event: protocol.Event) -> None:
        """Update the record with *event*."""
        match event:
            case protocol.Installed():
                self.record = replace(
                    self.record,
                    environment_seconds=event.environment_seconds,
                    install_seconds=event.seconds,
                    elsewhere_seconds=event.elsewhere_seconds or 0.0,
                    build=event.build,
                )
            case protocol.Broken():
                self.record = replace(self.record, failure=f"{event.step} failed: {event.reason}")
            case protocol.Timed():
                self._add_process(event)
            case protocol.Saved():
                self.record = replace(self.record, cases=(*self.record.cases, *self._unsaved.values()))
                self._unsaved.clear()
            case _:
                pass

    def _add_process(self, event: protocol.Timed) -> None:
        before = self._unsaved.get(event.case)
        load = () if event.background_load is None else (event.background_load,)
        self._unsaved[event.case] = CaseRecord(
            case=event.case,
            benchmark=event.benchmark,
            version=self._versions[event.benchmark],
            state=event.state,
            seconds=event.seconds + (before.seconds if before else 0.0),
            reason=event.reason,
            background_load=(*before.background_load, *load) if before else load,
        )


def _new_record(commit: CommitHash, python: str, environment: str, expected: int) -> TaskRecord:
    """Return the record of a task of which nothing is measured."""
    return TaskRecord(
        commit=commit,
        python=python,
        environment=environment,
        expected=expected,
        environment_seconds=0.0,
        install_seconds=0.0,
        failure="",
        cases=(),
    )


NO_MACHINE = MachineRecord(
    name="", architecture="", cpu="", cores=0, memory=0, os="", kernel="", image="", load=0.0, smt=None
)
"""The machine of a record of lost cases."""


def find_lost_cases(plan: Plan, records: Iterable[RunRecord], now: float) -> RunRecord | None:
    """Return a record of the cases of *plan* that none of *records* has, None if there are none.

    A case that failed was reached, and so was each case of a commit that cannot be installed.
    """
    reached: dict[tuple[CommitHash, str], set[str]] = defaultdict(set)
    failed = set[tuple[CommitHash, str]]()
    for task in (task for record in records for task in record.tasks):
        reached[task.commit, task.environment].update(case.case for case in task.cases)
        if task.failure:
            failed.add((task.commit, task.environment))
    lost: dict[tuple[CommitHash, str, str], int] = defaultdict(int)
    for planned in (task for shard in plan.shards for task in shard.tasks):
        cell = (planned.commit, planned.environment)
        cases = {case.name for selection in planned.selections for case in selection.cases}
        if cell not in failed and (missing := cases - reached[cell]):
            lost[planned.commit, planned.python, planned.environment] += len(missing)
    if not lost:
        return None
    return RunRecord(
        schema=RECORD_SCHEMA,
        project=plan.project,
        shard=0,
        started=now,
        ended=now,
        interrupted=True,
        machine=NO_MACHINE,
        tasks=tuple(_new_record(*where, count) for where, count in lost.items()),
        lost=True,
    )

"""Carries out one shard: an engine for each task, a results tree and a run record left behind."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import time

from windtunnel import formats
from windtunnel.asv import machine
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import Event, Measure
from windtunnel.bench.format import Plan, Shard, Task
from windtunnel.bench.reference import reference_times
from windtunnel.bench.task_progress import Ledger
from windtunnel.files import write_atomically
from windtunnel.model.run_format import RECORD_SCHEMA, MachineRecord, ReferenceTime, RunRecord
from windtunnel.results.records import RECORD, RESULTS

Listener = Callable[[Task, Event], None]

LOG = "asv.log"
"""What asv and the builds printed, in the folder of a shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRun:
    """One shard and where it runs: *config* is the suite's configuration, *out* the folder to fill."""

    plan: Plan
    shard: Shard
    config: Path
    out: Path
    machine: MachineRecord
    supervisor: Supervisor

    def carry_out(self, listen: Listener) -> RunRecord:
        """Time every task, tell *listen* each event, and keep run.json current all the while.

        A task that cannot be installed is recorded and does not stop the others. Ctrl-C ends the engine and goes on
        as KeyboardInterrupt; run.json then says ``interrupted``, as it does after a kill.
        """
        results = self.out / RESULTS
        write_atomically(results / "benchmarks.json", self.plan.benchmarks.encode())
        write_atomically(results / self.machine.name / "machine.json", machine.for_asv(self.machine))
        journal = _Journal(run=self, started=time(), references=reference_times())
        try:
            for task in self.shard.tasks:
                ledger = journal.open(task)
                with closing(self._events(task)) as events:
                    for event in events:
                        ledger.note(event)
                        listen(task, event)
                journal.keep(interrupted=True)
        except BaseException:
            journal.keep(interrupted=True)
            raise
        return journal.keep(interrupted=False)

    def _events(self, task: Task) -> Generator[Event]:
        results = self.out / RESULTS
        return self.supervisor.carry_out(
            Measure(
                config=str(self.config),
                environment=task.environment,
                commit=task.commit,
                selections=task.selections,
                benchmarks=str(results / "benchmarks.json"),
                machine=str(results / self.machine.name / "machine.json"),
                out=str(results),
            )
        )


@dataclass(slots=True, kw_only=True)
class _Journal:
    """The run record while it grows."""

    run: ShardRun
    started: float
    references: tuple[ReferenceTime, ...]
    ledgers: list[Ledger] = field(default_factory=list)

    def open(self, task: Task) -> Ledger:
        """Begin the account of *task*."""
        self.ledgers.append(Ledger(task=task))
        return self.ledgers[-1]

    def keep(self, *, interrupted: bool) -> RunRecord:
        """Write run.json as things stand and return it."""
        record = RunRecord(
            schema=RECORD_SCHEMA,
            project=self.run.plan.project,
            shard=self.run.shard.index,
            started=self.started,
            ended=time(),
            interrupted=interrupted,
            machine=self.run.machine,
            references=self.references,
            tasks=tuple(ledger.record() for ledger in self.ledgers),
        )
        write_atomically(self.run.out / RECORD, formats.encode_pretty(record))
        return record

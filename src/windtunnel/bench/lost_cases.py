"""Finds the cases of a plan that no shard reached: the job of a shard was lost, or its run was interrupted."""

from collections import defaultdict
from collections.abc import Iterable

from windtunnel.bench.format import Plan
from windtunnel.model.identity import CommitHash
from windtunnel.model.run_format import RECORD_SCHEMA, MachineRecord, RunRecord, TaskRecord

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
        references=(),
        tasks=tuple(
            TaskRecord(
                commit=commit,
                python=python,
                environment=environment,
                expected=count,
                environment_seconds=0.0,
                install_seconds=0.0,
                failure="",
                cases=(),
            )
            for (commit, python, environment), count in lost.items()
        ),
        lost=True,
    )

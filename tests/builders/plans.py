"""Pieces of plans."""

from windtunnel.bench.format import Task
from windtunnel.model.benchmark import Case, Selection
from windtunnel.model.identity import CommitHash


def cases_of(shards):
    """Every (commit, environment, case) that the shards time, with repetitions."""
    return sorted(
        (task.commit, task.environment, case.name)
        for shard in shards
        for task in shard.tasks
        for selection in task.selections
        for case in selection.cases
    )


def a_piece(benchmark="b", *, commit="c1", environment="e1", seconds=1.0, cases=1):
    """One benchmark of one commit; *seconds* for all its cases together."""
    return Task(
        commit=CommitHash(commit),
        python="3.12",
        environment=environment,
        selections=(
            Selection(
                benchmark=benchmark,
                version="1",
                cases=tuple(Case(index=index, name=f"{benchmark}({index})") for index in range(cases)),
            ),
        ),
        seconds=seconds,
    )

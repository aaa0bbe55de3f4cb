"""Runs of one commit on one machine in one environment, to one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.errors import DataError
from windtunnel.model.environment_part import Environment
from windtunnel.model.result import Row
from windtunnel.model.run import Run
from windtunnel.results.conflicts import Conflict
from windtunnel.results.fields import differences, merge_fields
from windtunnel.results.rows import RowKey, key_of, merge_rows, winner


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRun:
    """One run, and what its sources disagree about."""

    run: Run
    conflicts: tuple[Conflict, ...]


def merge_runs(*runs: Run) -> MergedRun:
    """Return one run with what all of *runs* (at least one) say.

    Rows of different versions or parameters are a conflict: the newest that has a value stands, the others are kept
    as superseded. Raises DataError when the runs are not of one commit, machine and environment.
    """
    if len({run.key for run in runs}) != 1:
        raise DataError(f"these are {len(runs)} different runs, which cannot be merged: {[*map(_title, runs)]}")
    rows, superseded = _rows(runs)
    merged = Run(
        commit=runs[0].commit,
        machine=runs[0].machine,
        environment=_environment([run.environment for run in runs]),
        date=max(run.date for run in runs),
        params=merge_fields(run.params for run in runs),
        rows=rows,
        superseded=superseded,
        durations=merge_fields(run.durations for run in runs),
        extra=merge_fields(run.extra for run in runs),
        source=min(run.source for run in runs),
    )
    return MergedRun(run=merged, conflicts=tuple(_conflicts(runs)))


def _environment(environments: Sequence[Environment]) -> Environment:
    return Environment(
        name=environments[0].name,
        python=max(environment.python for environment in environments),
        requirements=merge_fields(environment.requirements for environment in environments),
        variables=merge_fields(environment.variables for environment in environments),
    )


def _rows(runs: Iterable[Run]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Return the row that stands for each benchmark, and those that do not."""
    alike: dict[RowKey, list[Row]] = defaultdict(list)
    for run in runs:
        for row in (*run.rows, *run.superseded):
            alike[key_of(row)].append(row)
    by_name: dict[str, list[Row]] = defaultdict(list)
    for key in sorted(alike):
        by_name[key[0]].append(merge_rows(alike[key]))
    winners = {name: winner(rows) for name, rows in by_name.items()}
    others = (row for name, rows in by_name.items() for row in rows if row is not winners[name])
    return tuple(winners.values()), tuple(others)


def _conflicts(runs: Sequence[Run]) -> Iterator[Conflict]:
    """Yield what any run says otherwise than the first that says it."""
    first: dict[str, tuple[Run, Row]] = {}
    for run in runs:
        for name in differences(runs[0].params, run.params):
            yield _conflict(runs[0], run, f"params.{name}", "the greater text stands, as if by lot")
        for row in run.rows:
            other, known = first.setdefault(row.name, (run, row))
            if key_of(row) != key_of(known):
                how = f"{_variety(known)}, {_variety(row)}"
                yield _conflict(other, run, f"results.{row.name}", f"{how}; the newest that has a value stands")


def _conflict(one: Run, other: Run, key: str, reason: str) -> Conflict:
    return Conflict(key=f"{_title(one)}: {key}", sources=(one.source, other.source), reason=reason)


def _variety(row: Row) -> str:
    return (
        f"version {row.version:.12} with parameters {row.params!r:.80}"
        if row.version
        else f"no version, {row.params!r:.80}"
    )


def _title(run: Run) -> str:
    return f"{run.commit[:8]} on {run.machine} in {run.environment.name}"

"""Counts the instructions of cases of an installed commit, as results of benchmarks that asv can read.

The samples of a case are its counts, one for each hash seed: their spread is the noise. Cases are counted together,
because each hash seed starts a Python of its own under the counter.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from statistics import median
from time import monotonic
from typing import Any

from asv.runner import BenchmarkResult
from msgspec.structs import replace

from windtunnel.asv import protocol
from windtunnel.asv.instruction_counter import count_cases, toolchain
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.measure import InstalledCommit
from windtunnel.asv.suite import python_build
from windtunnel.model.benchmark import COUNTED_WITH, COUNTS_OF, Case, Selection
from windtunnel.model.run_format import PythonBuild
from windtunnel.model.schedule import DEFAULT_SEEDS, CountedCase, InstructionCounts
from windtunnel.text import numbers

MAX_TOGETHER = 50
"""Cases that are counted before their counts are saved: the starts of the seeds then take about a tenth of the time."""

MIN_WHOLE = 10_000
"""From so many instructions on, half an instruction is less than 0.01 %."""

OTHER_THREADS = "it runs threads or processes, whose work the counts of a history would see in part"
"""Why a case has no count in a history."""

Count = Callable[[Sequence[CountedCase]], Iterable[tuple[CountedCase, InstructionCounts]]]
"""Counts the instructions of cases of the installed commit."""


def count_rows(
    commit: InstalledCommit, results: Any, selections: Sequence[Selection], emit: protocol.Emit
) -> Iterator[dict[str, Any]]:
    """Count the selected cases of *commit* and add them to asv's *results*; yield the notes of each batch."""
    if not selections:
        return
    count = partial(count_cases, {"head": commit}, seeds=hash_seeds(selections))
    extra = {COUNTED_WITH: counted_with(python_build(commit.env), toolchain())}
    with in_every_benchmark():
        for batch in batches(selections):
            sizes = add_rows(commit.entries, count, results, emit, batch)
            yield {name: {"process_sizes": each, "extra": extra} for name, each in sizes.items()}


def hash_seeds(selections: Iterable[Selection]) -> tuple[int, ...]:
    """Return the hash seeds to count with: as many as the rounds that are asked for, else the usual ones."""
    rounds = max((each.rounds for each in selections), default=0)
    return tuple(range(1, rounds + 1)) or DEFAULT_SEEDS


def counted_with(build: PythonBuild, counter: str) -> str:
    """Return the Python and the *counter* in words: where they change, counts change."""
    return f"{build.implementation} {build.version} ({build.compiler}), {counter}"


def batches(selections: Iterable[Selection]) -> Iterator[tuple[Selection, ...]]:
    """Yield *selections* in batches, each of at most `MAX_TOGETHER` cases or of a single benchmark."""
    batch: list[Selection] = []
    for selection in selections:
        if batch and sum(len(each.cases) for each in (*batch, selection)) > MAX_TOGETHER:
            yield tuple(batch)
            batch = []
        batch.append(selection)
    if batch:
        yield tuple(batch)


def add_rows(
    entries: Mapping[str, dict[str, Any]], count: Count, results: Any, emit: protocol.Emit, batch: Sequence[Selection]
) -> dict[str, list[list[int] | None]]:
    """Count the cases of *batch* and add them to asv's *results*; return how many values each process of a row has.

    *entries* are those of benchmarks.json by name, those of the counts too.
    """
    cases = {
        CountedCase(commit="head", benchmark=entries[each.benchmark][COUNTS_OF], index=case.index): case.name
        for each in batch
        for case in each.cases
    }
    emit(protocol.Working(text=f"Counting the instructions of {numbers.count(len(cases), 'case')}"))
    started_at, started = datetime.now(UTC), monotonic()
    found = {
        cases[case]: InstructionCounts(reason=OTHER_THREADS) if counts.other_threads else counts
        for case, counts in count(tuple(cases))
    }
    seconds = (monotonic() - started) / max(len(cases), 1)
    sizes = {}
    for selection in batch:
        entry = entries[selection.benchmark]
        counted: list[InstructionCounts | None] = [None] * math.prod(len(values) for values in entry["params"])
        for case in selection.cases:
            counts = found[case.name]
            counted[case.index] = _rounded(counts) if counts.per_call else None
            emit(_timed(selection, case, counts, seconds))
        results.add_result(
            entry,
            BenchmarkResult(
                result=[median(each.per_call) if each else math.nan for each in counted],
                samples=[list(each.per_call) if each else None for each in counted],
                number=[each.calls if each else None for each in counted],
                errcode=0,
                stderr="",
                profile=None,
            ),
            selected_idx={case.index for case in selection.cases},
            started_at=started_at,
            duration=seconds * len(selection.cases),
            record_samples=True,
        )
        sizes[selection.benchmark] = [[1] * len(each.per_call) if each else None for each in counted]
    return sizes


def _timed(selection: Selection, case: Case, counts: InstructionCounts, seconds: float) -> protocol.Timed:
    return protocol.Timed(
        benchmark=selection.benchmark,
        case=case.name,
        round=1,
        rounds=1,
        state="measured" if counts.per_call else "skipped",
        seconds=seconds,
        reason=counts.reason,
        background_load=None,
    )


def _rounded(counts: InstructionCounts) -> InstructionCounts:
    """Return *counts* in whole instructions if that is exact enough: the site keeps whole numbers as they are."""
    if min(counts.per_call) < MIN_WHOLE:
        return counts
    return replace(counts, per_call=tuple(float(round(count)) for count in counts.per_call))

"""The rounds of one benchmark: a process for each case each round, in turn, so that drift hits all alike."""

import contextlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from asv import util
from asv.runner import fail_benchmark, run_benchmark

from windtunnel.asv.background_load import BackgroundLoad
from windtunnel.asv.protocol import Event, Started, Timed
from windtunnel.model.benchmark import Case, Selection
from windtunnel.model.run_format import State

MAX_REASON_CHARACTERS = 2000
"""Characters of a benchmark's output that are kept: its end, where the error stands."""


@dataclass(slots=True, kw_only=True)
class Rounds:
    """One benchmark of one installed commit; *entry* is its entry in benchmarks.json, *results* asv's Results."""

    entry: dict[str, Any]
    spawner: Any
    results: Any
    emit: Callable[[Event], None]
    numbers: dict[int, int] = field(default_factory=dict)
    sizes: dict[int, list[int]] = field(default_factory=dict)
    """How many values each process of a combination yielded, which asv itself does not keep."""
    seconds: float = 0.0

    def carry_out(self, selection: Selection) -> None:
        """Time every selected case in every round, each round beginning one case further on.

        A case that fails or is skipped is not tried again.
        """
        rounds = selection.rounds or int(self.entry.get("rounds") or 1)
        left = list(selection.cases)
        with self._setup_cache() as (folder, failure):
            for number in range(rounds):
                for case in rotated(left, number):
                    self.emit(Started(case=case.name))
                    timed = self._process(case.index, number, folder, failure)
                    self.emit(
                        Timed(
                            benchmark=self.entry["name"],
                            case=case.name,
                            round=number + 1,
                            rounds=rounds,
                            state=timed.state,
                            seconds=timed.seconds,
                            reason=timed.reason,
                            background_load=timed.background_load,
                        )
                    )
                    if timed.state is not State.MEASURED:
                        left.remove(case)

    def process_sizes(self) -> list[list[int] | None]:
        """Return how the values of every combination fall to processes; None where there are none."""
        count = math.prod(len(values) for values in self.entry["params"])
        return [self.sizes.get(combination) for combination in range(count)]

    def _process(self, combination: int, number: int, folder: str | None, failure: str) -> "_Ended":
        """Run one process and add its values to the results."""
        started_at, started, others = datetime.now(UTC), monotonic(), BackgroundLoad()
        if failure:
            result = fail_benchmark(self.entry, stderr=failure)
        else:
            known = self.numbers.get(combination)
            result = run_benchmark(
                self.entry,
                self.spawner,
                profile=False,
                selected_idx={combination},
                extra_params={"number": known} if known else {},
                cwd=folder,
            )
        value, samples = result.result[combination], result.samples[combination]
        state, reason = process_outcome(value, samples, result.stderr)
        if state is not State.MEASURED:
            self.sizes.pop(combination, None)
        if state is State.FAILED:
            result.result[combination] = result.samples[combination] = result.number[combination] = None
        elif samples is not None:
            self.numbers[combination] = int(result.number[combination])
            self.sizes.setdefault(combination, []).append(len(samples))
        background_load, seconds = others.processors(), monotonic() - started
        self.seconds += seconds
        self.results.add_result(
            self.entry,
            result,
            selected_idx={combination},
            started_at=started_at,
            duration=self.seconds,
            record_samples=True,
            append_samples=number > 0,
        )
        return _Ended(state=state, reason=reason, seconds=seconds, background_load=background_load)

    @contextlib.contextmanager
    def _setup_cache(self) -> Iterator[tuple[str | None, str]]:
        """Yield the folder of the benchmark's setup_cache (None without one) and why it failed ("" when it did not)."""
        if not self.entry.get("setup_cache_key"):
            yield None, ""
            return
        timeout = self.entry.get("setup_cache_timeout") or self.entry["timeout"]
        folder, output = self.spawner.create_setup_cache(self.entry["name"], timeout, json.dumps({}))
        try:
            yield folder, "" if folder else f"setup_cache failed\n{output}"
        finally:
            if folder:
                util.long_path_rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """How one process ended."""

    state: State
    reason: str
    seconds: float
    background_load: float | None


def rotated(cases: list[Case], by: int) -> tuple[Case, ...]:
    """Return *cases* beginning *by* places further on: A B C, B C A, C A B."""
    start = by % len(cases) if cases else 0
    return (*cases[start:], *cases[:start])


def process_outcome(value: object, samples: object, output: str) -> tuple[State, str]:
    """Say how a process ended from its *value* (True where it yielded *samples*), and why when there is none.

    asv stores whatever a ``track_`` benchmark returns; anything but a number would break every later publish.
    """
    tail = output.strip()[-MAX_REASON_CHARACTERS:]
    if samples is not None and not _are_numbers(samples):
        return State.FAILED, "the benchmark returned samples that are no numbers"
    match value:
        case None:
            return State.FAILED, tail or "the benchmark ended without a result"
        case float() if math.isnan(value):
            return State.SKIPPED, tail.replace("asv: skipped: ", "") or "the benchmark returned NaN"
        case int() | float():
            return State.MEASURED, ""
        case _:
            kind = type(value).__name__
            return State.FAILED, f"the benchmark returned a {kind}; asv can keep numbers only, so return one number"


def _are_numbers(samples: object) -> bool:
    return isinstance(samples, list) and bool(samples) and all(isinstance(each, int | float) for each in samples)

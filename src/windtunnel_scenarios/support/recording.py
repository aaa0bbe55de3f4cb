"""Runs that measure a part of a job themselves, because the rest of it is not what the scenario is about."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from windtunnel_scenarios.model import Load, Outcome, RecordingRun, Run, Technique

L = TypeVar("L", bound=Load)


class RecordedRun:
    """A run that records the first value of what another run returns, and returns the rest."""

    def __init__(self, run: Run, measure: str) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self._run, self._measure = run, measure

    def __call__(self) -> Outcome:
        value, *outcome = self._run()
        assert isinstance(value, float)
        self.recorded = {self._measure: (value,)}
        return tuple(outcome)


def recording(technique: Technique[L], measure: str = "seconds") -> Technique[L]:
    """Return the technique with runs that record the first value of their outcome under the name of a measure."""

    @contextmanager
    def open_run(load: L, /) -> Iterator[RecordingRun]:
        with technique(load) as run:
            yield RecordedRun(run, measure)

    return open_run

"""Loads of the scenarios that wait and compute in one run."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from windtunnel_scenarios.cpu_sum import Sums
from windtunnel_scenarios.model import Load, LoadName, Outcome

Waits = TypeVar("Waits", bound=Load)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixed(Generic[Waits]):
    """What is waited for, and what is computed."""

    name: LoadName
    waits: Waits
    sums: Sums

    @property
    def outcome(self) -> Outcome:
        """The outcome of the waits and then that of the sums."""
        return self.waits.outcome + self.sums.outcome

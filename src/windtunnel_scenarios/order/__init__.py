"""Coroutines gathered, each of which takes some steps: in which order do they take them?"""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

UNITS = (5, 3, 2)
"""Steps of each coroutine, as published; an order is no matter of size, so every load has the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """How many steps each coroutine takes."""

    name: LoadName
    units: tuple[int, ...] = UNITS

    @property
    def outcome(self) -> Outcome:
        """How many steps each took."""
        return self.units


ORDER = Scenario(
    name="order",
    variants=(Variant(name="without_await"), Variant(name="sleep_0")),
    loads=tuple(Steps(name=name) for name in LoadName),
)

"""Doing nothing: what the drivers of the other scenarios cost by themselves."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No work at all."""

    name: LoadName

    @property
    def outcome(self) -> Outcome:
        """Nothing."""
        return ()


HARNESS = Scenario(
    name="harness",
    variants=(
        Variant(name="call"),
        Variant(name="kept_loop"),
        Variant(name="asyncio_run"),
        Variant(name="background_loop"),
    ),
    loads=(
        Nothing(name=LoadName.TRIAL),
        Nothing(name=LoadName.QUICK),
        Nothing(name=LoadName.STANDARD),
    ),
)

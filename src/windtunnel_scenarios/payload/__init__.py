"""Bytes handed to a worker and back: what a call costs by the size of what it carries."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcels:
    """How many calls, one after the other, and how many bytes go each way."""

    name: LoadName
    count: int
    size: int

    @property
    def outcome(self) -> Outcome:
        """The sizes of what came back."""
        return (self.size,) * self.count


VARIANTS = (
    Variant(name="threads"),
    Variant(name="processes_fork"),
    Variant(name="processes_spawn"),
    Variant(name="joblib", needs=("joblib",)),
    Variant(name="interpreters", needs=("concurrent.futures.interpreter",)),
)

PAYLOAD = Scenario(
    name="payload",
    variants=VARIANTS,
    loads=(
        Parcels(name=LoadName.TRIAL, count=3, size=1_000),
        Parcels(name=LoadName.QUICK, count=100, size=1_000),
        Parcels(name=LoadName.STANDARD, count=1_000, size=1_000),
        Parcels(name=LoadName.ARTICLE, count=10_000, size=1_000),
    ),
)

PAYLOAD_LARGE = Scenario(
    name="payload_large",
    folder="payload",
    variants=VARIANTS,
    loads=(
        Parcels(name=LoadName.TRIAL, count=2, size=100_000),
        Parcels(name=LoadName.QUICK, count=5, size=1_000_000),
        Parcels(name=LoadName.STANDARD, count=10, size=10_000_000),
        Parcels(name=LoadName.ARTICLE, count=10, size=100_000_000),
    ),
)

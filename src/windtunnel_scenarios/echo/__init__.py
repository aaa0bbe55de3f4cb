"""A line to a server and back, over and over, on connections that stay open: what a turn through a socket costs."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

CLIENTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """How many lines each of the clients sends, one after the answer to the last."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """How many answers each client had."""
        return (self.count,) * CLIENTS


ECHO = Scenario(
    name="echo",
    variants=(
        Variant(name="threads"),
        Variant(name="asyncio_streams"),
        Variant(name="uvloop_streams", needs=("uvloop",)),
    ),
    loads=(
        Lines(name=LoadName.TRIAL, count=3),
        Lines(name=LoadName.QUICK, count=100),
        Lines(name=LoadName.STANDARD, count=1_000),
        Lines(name=LoadName.ARTICLE, count=5_000),
    ),
)

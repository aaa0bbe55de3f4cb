"""Waiting, and nothing else: what concurrency gains where there is no work, and what driving it costs."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleeps:
    """The periods to wait, in seconds; whole milliseconds, to which asyncio's timers round on Linux."""

    name: LoadName
    periods: tuple[float, ...]

    @property
    def outcome(self) -> Outcome:
        """Each period, once it is over."""
        return self.periods


SLEEP = Scenario(
    name="sleep",
    unwarmed=(LoadName.ARTICLE,),
    variants=(
        Variant(name="sync"),
        Variant(name="async_sequential"),
        Variant(name="gather"),
        Variant(name="task_group"),
        Variant(name="threads"),
    ),
    loads=(
        Sleeps(name=LoadName.TRIAL, periods=(0.001, 0.002, 0.003)),
        Sleeps(name=LoadName.QUICK, periods=(0.1, 0.1, 0.1)),
        Sleeps(name=LoadName.STANDARD, periods=(0.2, 0.2, 0.2)),
        Sleeps(name=LoadName.ARTICLE, periods=(1.0, 2.0, 3.0)),
    ),
)

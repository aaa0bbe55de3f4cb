"""The A/A arm: base against base, judged by the same rules."""

from collections.abc import Sequence

from windtunnel.compare.decide import judge
from windtunnel.compare.format import Context, FalseAlarms, Rules, Verdict
from windtunnel.model.measure import Trial


def false_alarms(trials: Sequence[Trial], rules: Rules) -> FalseAlarms:
    """Return how many of *trials*, both sides of which are the same code, would have raised an alarm.

    They go through the same steps as the comparison itself: without a confirmation of their own none could alarm.
    """
    found = judge(Context(base="", head="", rules=rules), trials)
    alarms = len(found.having(Verdict.REGRESSED)) + len(found.having(Verdict.IMPROVED))
    return FalseAlarms(comparisons=len(found.comparisons), alarms=alarms)

"""Runs that compared a commit with itself."""

from datetime import date, timedelta

from windtunnel.compare.error_rates_format import CheckedRun, ErrorRates

FIRST = date(2026, 3, 2)


def a_checked_run(source="unchanged", **what):
    """A self-check of 200 cases without an alarm."""
    usual = {"run": "1", "date": FIRST.isoformat(), "commit": "c" * 40, "comparisons": 200, "alarms": 0}
    return CheckedRun(source=source, **(usual | what))


def eight_months():
    """A self-check a week, with a slowdown: 2 false alarms, 33 slowdowns not found."""
    runs = []
    for week in range(34):
        common = {
            "date": (FIRST + timedelta(weeks=week)).isoformat(),
            "run": str(1000 + week),
            "commit": f"{week:040x}",
            "url": f"https://github.com/owner/project/actions/runs/{1000 + week}",
        }
        slowed = {"slowdown": 0.05, "achieved": 0.0503, "alarms": 199 - week % 3, "comparisons": 200}
        runs += [a_checked_run(alarms=2 if week == 12 else 0, **common), a_checked_run("slowdown", **common | slowed)]
    return ErrorRates(runs=tuple(runs))

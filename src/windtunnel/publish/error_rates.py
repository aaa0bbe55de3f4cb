"""Summarises error-rates.json for the site: rates with intervals, in all and over time."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

from windtunnel.compare.error_rates_format import CheckedRun, CheckSource
from windtunnel.publish.badge import GREEN, GREY, RED, Badge
from windtunnel.publish.format.error_rates import ErrorRatesData, LastCheck, PeriodRates, RateData
from windtunnel.stats.proportions import CONFIDENCE, Proportion, clustered_proportion, proportion

RECENT = timedelta(days=90)
MAX_MONTHS = 24


def summarise(runs: Sequence[CheckedRun]) -> ErrorRatesData | None:
    """Return the rates of *runs*, None if none of them compared anything.

    Comparisons of one run share its machine and its hour, so the interval of a share of comparisons takes the run as
    the cluster. Runs are taken as independent.
    """
    used = sorted((one for one in runs if one.comparisons), key=lambda one: one.date)
    if not used:
        return None
    slowed = [one for one in used if one.source is CheckSource.SLOWDOWN]
    checks = [one for one in used if one.source is not CheckSource.PULL_REQUEST]
    start = (date.fromisoformat(used[-1].date) - RECENT).isoformat()
    by_month = [(month, list(group)) for month, group in groupby(used, key=lambda one: one.date[:7])]
    return ErrorRatesData(
        confidence=CONFIDENCE,
        promised=used[-1].promised,
        slowdown=slowed[-1].slowdown if slowed else None,
        achieved=slowed[-1].achieved if slowed else None,
        opposite=sum(one.opposite for one in slowed),
        all=_period(used[0].date, used),
        recent=_period(start, [one for one in used if one.date >= start]),
        months=tuple(_period(f"{month}-01", group) for month, group in by_month[-MAX_MONTHS:]),
        pull_requests=len(used) - len(checks),
        self_checks=len(checks),
        last=_last(used[-1]),
        last_self_check=_last(checks[-1]) if checks else None,
    )


def _period(since: str, runs: Sequence[CheckedRun]) -> PeriodRates:
    unchanged = [one for one in runs if one.source is not CheckSource.SLOWDOWN]
    slowed = [one for one in runs if one.source is CheckSource.SLOWDOWN]
    return PeriodRates(
        since=since,
        false_alarms=_rate(unchanged),
        alarmed_runs=_data(proportion(sum(one.alarms > 0 for one in unchanged), len(unchanged))),
        found=_rate(slowed),
    )


def _rate(runs: Sequence[CheckedRun]) -> RateData | None:
    return _data(clustered_proportion([one.alarms for one in runs], [one.comparisons for one in runs]))


def _data(found: Proportion | None) -> RateData | None:
    if found is None:
        return None
    return RateData(
        hits=found.hits,
        trials=found.trials,
        runs=found.clusters,
        rate=found.rate,
        low=found.low,
        high=found.high,
    )


def _last(run: CheckedRun) -> LastCheck:
    return LastCheck(date=run.date, commit=run.commit, url=run.url or None)


def build_error_badge(rates: ErrorRatesData | None) -> Badge:
    """Return the badge of false alarms: red only if more runs have one than is promised, beyond doubt."""
    label = "false alarms"
    found = rates.all.false_alarms if rates else None
    if rates is None or found is None:
        return Badge(label=label, message="no run yet", color=GREY)
    runs = rates.all.alarmed_runs
    broken = runs is not None and runs.low > rates.promised
    return Badge(label=label, message=f"{found.hits:,} of {found.trials:,}", color=RED if broken else GREEN)

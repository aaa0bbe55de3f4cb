"""How many benchmarks are slower now, and how often verdicts were wrong: as badges for a README, and for the site."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

from windtunnel.compare.error_rates_format import CheckedRun
from windtunnel.detect.format import DetectedChanges
from windtunnel.publish.format.error_rates import ErrorRatesData, LastCheck, PeriodRates
from windtunnel.stats.intervals import CONFIDENCE, Proportion, clustered_proportion, proportion

LABEL = "benchmarks"
RECENT = timedelta(days=90)
MAX_MONTHS = 24
HEIGHT, MARGIN, LETTER = 20, 6, 7
"""Pixels; digits and small letters of the font below are at most seven wide at eleven pixels."""
GREEN, RED, AMBER, GREY = "#2f6f2f", "#a5321f", "#7a5200", "#444"
"""Each has a contrast of at least 4.5 : 1 with the white letters (WCAG 2.1, 1.4.3)."""


def changes_badge(changes: DetectedChanges) -> str:
    """Return the badge of *changes*: how many benchmarks have a current regression, if any series has enough values."""
    slower = {
        change.benchmark for change in changes.changes if change.direction == "regressed" and change.status == "current"
    }
    if slower:
        return _render(LABEL, f"{len(slower)} slower", RED)
    if changes.series and changes.too_short == changes.series:
        return _render(LABEL, "too few results", AMBER)
    return _render(LABEL, "steady", GREEN)


def _render(label: str, message: str, colour: str) -> str:
    """Return an image that loads no font and no script."""
    left, right = (2 * MARGIN + LETTER * len(text) for text in (label, message))
    title = f"{label}: {message}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<rect width="{left}" height="{HEIGHT}" fill="{GREY}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{colour}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{left + right / 2:g}" y="14">{message}</text></g></svg>\n'
    )


def summarise(runs: Sequence[CheckedRun]) -> ErrorRatesData | None:
    """Return the rates of *runs*, None if none of them compared anything.

    Comparisons of one run share its machine and its hour, so the interval of a share of comparisons takes the run as
    the cluster. Runs are taken as independent.
    """
    used = sorted((one for one in runs if one.comparisons), key=lambda one: one.date)
    if not used:
        return None
    slowed = [one for one in used if one.source == "slowdown"]
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
        self_checks=len(used),
        last=LastCheck(date=used[-1].date, commit=used[-1].commit, url=used[-1].url or None),
    )


def _period(since: str, runs: Sequence[CheckedRun]) -> PeriodRates:
    unchanged = [one for one in runs if one.source == "unchanged"]
    slowed = [one for one in runs if one.source == "slowdown"]
    return PeriodRates(
        since=since,
        false_alarms=_rate(unchanged),
        alarmed_runs=proportion(sum(one.alarms > 0 for one in unchanged), len(unchanged)),
        found=_rate(slowed),
    )


def _rate(runs: Sequence[CheckedRun]) -> Proportion | None:
    return clustered_proportion([one.alarms for one in runs], [one.comparisons for one in runs])


def error_badge(rates: ErrorRatesData | None) -> str:
    """Return the badge of false alarms: red only if more runs have one than is promised, beyond doubt."""
    label = "false alarms"
    found = rates.all.false_alarms if rates else None
    if rates is None or found is None:
        return _render(label, "no run yet", GREY)
    runs = rates.all.alarmed_runs
    broken = runs is not None and runs.low > rates.promised
    return _render(label, f"{found.hits:,} of {found.trials:,}", RED if broken else GREEN)

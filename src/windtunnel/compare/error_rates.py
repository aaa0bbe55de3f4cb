"""What runs that compared a commit with itself add to error-rates.json."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windtunnel import formats
from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT, MAX_RUNS, CheckedRun, CheckSource, ErrorRates
from windtunnel.compare.format import OUT_OF_TIME, Comparison, ComparisonReport, Verdict
from windtunnel.compare.samples_format import Rules
from windtunnel.compare.schedule import next_steps
from windtunnel.errors import DataError
from windtunnel.model.schedule import Stage
from windtunnel.text.escaping import visible

MAX_NAMES = 8
MAX_NAME = 200

MAX_AA_COMPARISONS = 500
"""A/A comparisons that the run of a pull request may have; 5 % of 10,000 cases. More are not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrigin:
    """The run that a verdict comes from, by what GitHub or the caller states, never by the verdict."""

    run: str
    """Identifies the run."""
    date: str
    """The day, in UTC (ISO 8601)."""
    commit: str
    """The full hash of the commit that was measured."""
    url: str = ""
    """The page of the run."""
    version: str = ""
    """The version of Windtunnel; empty if unknown."""


def build_self_check_run(report: ComparisonReport, origin: RunOrigin) -> CheckedRun:
    """Return the entry of a self-check; raises DataError for the verdict of another comparison."""
    check = report.self_check
    if check is None:
        raise DataError("it compares two commits; write one with windtunnel compare --self-check")
    finished = _finished(report)
    verdicts = Counter(one.verdict for one in finished)
    slower, faster = verdicts[Verdict.REGRESSED], verdicts[Verdict.IMPROVED]
    slowed = check.slowdown > 0
    return _entry(
        origin,
        report,
        source=CheckSource.SLOWDOWN if slowed else CheckSource.UNCHANGED,
        comparisons=len(finished),
        alarms=slower if slowed else slower + faster,
        opposite=faster if slowed else 0,
        slowdown=check.slowdown,
        achieved=check.achieved,
        threshold=min((one.threshold for one in finished), default=None),
    )


def _finished(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return the comparisons that the time limit did not cut short: those could not raise an alarm."""
    if OUT_OF_TIME not in report.notes:
        return report.comparisons
    screened = _without_step(report.comparisons, report, Stage.SCREENING)
    return _without_step(screened, report, Stage.CONFIRMATION)


def _without_step(found: Sequence[Comparison], report: ComparisonReport, stage: Stage) -> tuple[Comparison, ...]:
    """Return those of *found* that need no more rounds of *stage*."""
    steps = next_steps([one.samples() for one in found], report.rules)
    return tuple(one for one, step in zip(found, steps, strict=True) if step is None or step.stage is not stage)


def build_pull_request_run(report: ComparisonReport | None, origin: RunOrigin) -> CheckedRun:
    """Return the entry of a pull request's run, without comparisons if *report* is missing or not plausible.

    Such an entry keeps later calls from reading the run again.
    """
    source = CheckSource.PULL_REQUEST
    if report is None or report.aa.comparisons > MAX_AA_COMPARISONS or report.self_check:
        return _entry(origin, None, source=source, comparisons=0, alarms=0)
    return _entry(origin, report, source=source, comparisons=report.aa.comparisons, alarms=report.aa.alarms)


def _entry(origin: RunOrigin, report: ComparisonReport | None, **counts: object) -> CheckedRun:
    """Return the entry, checked as a reader of the file checks it: no run may make the file unreadable."""
    entry = {
        "run": origin.run,
        "date": origin.date,
        "commit": origin.commit,
        "url": origin.url,
        "version": origin.version,
        "promised": (report.rules if report else Rules()).confirmation.error,
        "machines": _names(one.name for one in (report.machines if report else ())),
        "environments": _names(one.name for one in (report.environments if report else ())),
    }
    content = formats.encode({"runs": [entry | counts]})
    return ERROR_RATES_FORMAT.decode(content, f"the entry of run {visible(origin.run, 40)}").runs[0]


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(visible(name, MAX_NAME - 1) for name in names))[:MAX_NAMES]


def add_runs(rates: ErrorRates, runs: Iterable[CheckedRun]) -> ErrorRates:
    """Return *rates* with those of *runs* that it lacks, and without the oldest beyond the limit.

    What is listed stays as it is. The order of calls does not matter, so concurrent jobs may repeat a lost race.
    """
    known = {one.key: one for one in (*runs, *rates.runs)}
    ordered = sorted(known.values(), key=lambda one: (one.date, one.source, one.run))
    return ErrorRates(runs=tuple(ordered[-MAX_RUNS:]))

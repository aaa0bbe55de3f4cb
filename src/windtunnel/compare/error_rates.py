"""What runs that compared a commit with itself add to error-rates.json."""

from collections import Counter
from collections.abc import Iterable, Sequence

from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT, MAX_RUNS, CheckedRun, ErrorRates
from windtunnel.compare.format import OUT_OF_TIME, Comparison, ComparisonReport, Verdict
from windtunnel.compare.schedule import next_steps
from windtunnel.errors import DataError
from windtunnel.model.schedule import Stage
from windtunnel.text.escaping import visible

MAX_NAMES = 8
MAX_NAME = 200


def build_self_check_run(
    report: ComparisonReport, *, run: str, date: str, url: str = "", version: str = ""
) -> CheckedRun:
    """Return the entry of a self-check; raises DataError for the verdict of another comparison.

    *run*, *date* and *url* are those of the run that the verdict comes from, by what GitHub or the caller states. The
    entry is checked as a reader of the file checks it: no run may make the file unreadable.
    """
    check = report.self_check
    if check is None:
        raise DataError("it compares two commits; write one with windtunnel compare --self-check")
    finished = _finished(report)
    verdicts = Counter(one.verdict for one in finished)
    slower, faster = verdicts[Verdict.REGRESSED], verdicts[Verdict.IMPROVED]
    slowed = check.slowdown > 0
    entry = CheckedRun(
        source="slowdown" if slowed else "unchanged",
        run=run,
        date=date,
        commit=report.head,
        comparisons=len(finished),
        alarms=slower if slowed else slower + faster,
        opposite=faster if slowed else 0,
        slowdown=check.slowdown,
        achieved=check.achieved,
        promised=report.rules.confirmation.error,
        threshold=min((one.threshold for one in finished), default=None),
        machines=_names(one.name for one in report.machines),
        environments=_names(one.name for one in report.environments),
        version=version,
        url=url,
    )
    content = ERROR_RATES_FORMAT.encode(ErrorRates(runs=(entry,)))
    return ERROR_RATES_FORMAT.decode(content, f"the entry of run {visible(run, 40)}").runs[0]


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


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(visible(name, MAX_NAME - 1) for name in names))[:MAX_NAMES]


def add_runs(rates: ErrorRates, runs: Iterable[CheckedRun]) -> ErrorRates:
    """Return *rates* with those of *runs* that it lacks, and without the oldest beyond the limit.

    What is listed stays as it is. The order of calls does not matter, so concurrent jobs may repeat a lost race.
    """
    known = {one.key: one for one in (*runs, *rates.runs)}
    ordered = sorted(known.values(), key=lambda one: (one.date, one.source, one.run))
    return ErrorRates(runs=tuple(ordered[-MAX_RUNS:]))

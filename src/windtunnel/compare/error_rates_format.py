"""error-rates.json: how many false alarms and found slowdowns comparisons of a commit with itself had, run by run."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Annotated, Literal

from msgspec import Meta, Struct

from windtunnel.compare.format import OUT_OF_TIME, Comparison, ComparisonReport
from windtunnel.compare.schedule import next_rounds
from windtunnel.errors import DataError
from windtunnel.formats import Format
from windtunnel.model.schedule import STAGES
from windtunnel.text.escaping import visible

SCHEMA = "windtunnel.error-rates/1"
"""Changes when a reader of the old format would misread the new one."""

MAX_RUNS = 2000
"""Runs that the file keeps: the newest. It then has about 1 MB."""

Text = Annotated[str, Meta(max_length=200)]
Share = Annotated[float, Meta(ge=0, le=1)]


CheckSource = Literal["unchanged", "slowdown"]
"""A commit compared with itself; with a slowdown, its head was slowed down on purpose."""


class CheckedRun(Struct, frozen=True, kw_only=True):
    """One run that compared a commit with itself."""

    source: CheckSource
    run: Text
    """Identifies the run: its number at GitHub. A run has one entry for each source."""
    date: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """The day of the run, in UTC."""
    commit: Text
    """The hash of the commit that was measured."""
    comparisons: Annotated[int, Meta(ge=0, le=100_000)]
    """The cases that were compared."""
    alarms: Annotated[int, Meta(ge=0)]
    """Those with an alarm: false ones, and regressions of a built-in slowdown."""
    opposite: Annotated[int, Meta(ge=0)] = 0
    """Of cases that were slowed down, those that were reported as improved."""
    slowdown: Share = 0.0
    """The share by which head was slowed down on purpose."""
    achieved: float | None = None
    """The slowdown that head's processes measured; null without one."""
    promised: Share = 0.01
    """The promised probability of any false alarm in a comparison without a change."""
    url: Annotated[str, Meta(pattern="^(https?://.*)?$", max_length=500)] = ""
    """The page of the run; empty if there is none."""

    @property
    def key(self) -> tuple[CheckSource, str]:
        """What identifies the entry."""
        return self.source, self.run


class ErrorRates(Struct, frozen=True, kw_only=True):
    """The content of error-rates.json."""

    schema: str = SCHEMA
    runs: tuple[CheckedRun, ...] = ()
    """The newest runs, the oldest first."""


def _problems(rates: ErrorRates) -> Iterator[str]:
    seen: set[tuple[CheckSource, str]] = set()
    for one in rates.runs:
        if one.key in seen:
            yield f"run {one.run[:40]!r} is listed twice as {one.source}"
        seen.add(one.key)
        if one.alarms + one.opposite > one.comparisons:
            yield f"run {one.run[:40]!r} has more alarms than comparisons"
        try:
            date.fromisoformat(one.date)
        except ValueError:
            yield f"run {one.run[:40]!r} has the date {one.date}, which does not exist"


ERROR_RATES_FORMAT = Format(
    name="error-rates.json",
    type=ErrorRates,
    schema=SCHEMA,
    remedy="remove the file from the results branch, and the next run writes it again",
    check=_problems,
)


def build_self_check_run(report: ComparisonReport, *, run: str, date: str, url: str = "") -> CheckedRun:
    """Return the entry of a self-check; raises DataError for the verdict of another comparison.

    *run*, *date* and *url* are those of the run that the verdict comes from, by what GitHub or the caller states. The
    entry is checked as a reader of the file checks it: no run may make the file unreadable.
    """
    check = report.self_check
    if check is None:
        raise DataError("it compares two commits; write one with windtunnel compare --self-check")
    finished = _finished(report)
    verdicts = Counter(one.verdict for one in finished)
    slower, faster = verdicts["regressed"], verdicts["improved"]
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
        url=url,
    )
    content = ERROR_RATES_FORMAT.encode(ErrorRates(runs=(entry,)))
    return ERROR_RATES_FORMAT.decode(content, f"the entry of run {visible(run, 40)}").runs[0]


def _finished(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return the comparisons that the time limit did not cut short: those could not raise an alarm."""
    found = report.comparisons
    for stage in STAGES if OUT_OF_TIME in report.notes else ():
        next_stage, rounds = next_rounds([one.samples() for one in found], report.rules)
        found = tuple(one for one, more in zip(found, rounds, strict=True) if not more or stage != next_stage)
    return found


def add_runs(rates: ErrorRates, runs: Iterable[CheckedRun]) -> ErrorRates:
    """Return *rates* with those of *runs* that it lacks, and without the oldest beyond the limit.

    What is listed stays as it is. The order of calls does not matter, so concurrent jobs may repeat a lost race.
    """
    known = {one.key: one for one in (*runs, *rates.runs)}
    ordered = sorted(known.values(), key=lambda one: (one.date, one.source, one.run))
    return ErrorRates(runs=tuple(ordered[-MAX_RUNS:]))

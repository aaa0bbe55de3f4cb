"""Which course an alert shows: that of its worst case as it was when there was last news, and a little more of it."""

from collections.abc import Iterable

from windtunnel.detect.alert_format import Alert
from windtunnel.detect.detected_events import DetectedEvent
from windtunnel.detect.format import MeasuredCase, PlotWindow

GROWN = 2
"""Times as many values after the change are worth drawing again: a handful of rewritings in an alert's life."""


def course_for(alert: Alert, sighted: Iterable[DetectedEvent], *, is_news: bool) -> PlotWindow | None:
    """Return what *alert* shows after it was *sighted*; what it showed before unless there is more to be seen."""
    now = next((one.course for one in sighted if one.course is not None and _is_of(alert, one.course)), None)
    if now is None:
        return alert.course
    return now if is_news or alert.course is None or _has_grown(alert.course, now) else alert.course


def _has_grown(old: PlotWindow, now: PlotWindow) -> bool:
    before, after = len(old.values) - old.split, len(now.values) - now.split
    return after > before and after >= GROWN * before


def _is_of(alert: Alert, course: PlotWindow) -> bool:
    if course.case is None:
        return alert.move is not None
    return any(_same_case(member, course.case) for member in alert.members)


def _same_case(one: MeasuredCase, other: MeasuredCase) -> bool:
    return _names(one) == _names(other)


def _names(case: MeasuredCase) -> tuple[object, ...]:
    return case.benchmark, case.params, case.environment, case.machine

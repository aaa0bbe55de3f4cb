"""Which alert is bisected next, within a day's minutes, and what becomes of the answer. All functions are pure.

alerts.json counts minutes and attempts when a search begins, so a job that ends without an answer counts as well.
"""

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from windtunnel.compare import bisect_format
from windtunnel.detect.alert_format import Alert, AlertBisection, Alerts, BisectionUsage
from windtunnel.detect.format import OVER, CandidateCommits, Change
from windtunnel.model.benchmark import COUNTS_SUFFIX
from windtunnel.model.build_change import PackageChange
from windtunnel.model.identity import CommitHash, case_name

MAX_ATTEMPTS = 3
"""Searches of one range; a commit that makes the runner fail would fail it each time."""

MIN_MINUTES = 10
"""A search with less time would rarely end: it builds some commits first."""

MAX_MINUTES = 60
"""Minutes of one search."""

MAX_TEXT = 300
"""Characters of a text that an alert keeps."""

MAX_PACKAGES = 20
"""Packages that an alert keeps."""

MAX_CHANGE = 1e6
"""The largest relative change of an answer."""

MAX_FUNCTIONS = 3
"""Functions that an alert keeps."""

FOUND = frozenset({"commit", "range"})
"""Answers that name commits or packages."""

ANSWERED = FOUND | {"nothing", "failed"}
"""Answers after which a range is not searched again."""

COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\^?")
"""A commit, or its parent, as git reads it; nothing else reaches git."""


def choose_alert(
    alerts: Alerts, day: str, minutes_a_day: int, packages_moved: Callable[[Alert], bool]
) -> tuple[Alert, int] | None:
    """Return the alert that is searched next, and the minutes for it.

    None if no alert needs a search, or the minutes of *day* do not suffice. The largest regression comes first, but one
    at a single commit only after those at several commits, or with which packages of the environment moved: its commit
    is known, and only its functions are not.
    """
    used = alerts.bisected.minutes if alerts.bisected.day == day else 0
    minutes = min(MAX_MINUTES, minutes_a_day - used)
    if minutes < MIN_MINUTES:
        return None
    due = list(filter(needs_bisection, alerts.alerts))
    found = max(due, key=lambda alert: (_commits(alert) > 1 or packages_moved(alert), _size(alert)), default=None)
    return None if found is None else (found, minutes)


def needs_bisection(alert: Alert) -> bool:
    """Return whether *alert* has a regression whose range was not searched, or whose search did not end."""
    if alert.state != "open" or searched_case(alert) is None:
        return False
    if not all(map(COMMIT.fullmatch, _range_of(alert))):
        return False
    done = current_bisection(alert)
    return done is None or (done.answer not in ANSWERED and done.attempts < MAX_ATTEMPTS)


def current_bisection(alert: Alert) -> AlertBisection | None:
    """Return the search for *alert* if it is about the range in which the change lies today.

    A commit that was found stays the answer while it is a candidate: new results move the ends of a range a little.
    """
    done = alert.bisection
    if done is None or alert.location is None:
        return None
    same = _range_of(alert) == (done.good, done.bad)
    return done if same or (done.answer in FOUND and done.after in alert.location.candidates) else None


def searched_case(alert: Alert) -> Change | None:
    """Return the largest regression of *alert* that is not over; a creep has no commit of its own."""
    if alert.location is None:
        return None
    found = [
        case
        for case in alert.cases
        if case.direction == "regressed" and case.kind == "step" and case.status not in OVER
    ]
    return max(found, key=lambda case: abs(case.relative_change or 0), default=None)


def build_request(
    alert: Alert, packages: Sequence[PackageChange], minutes: int | None
) -> bisect_format.BisectionRequest:
    """Return the search that *alert* needs; *packages* are those that differ between the runs of both commits."""
    case, (good, bad) = searched_case(alert), _range_of(alert)
    assert case is not None
    return bisect_format.BisectionRequest(
        alert=alert.id,
        case=measured_name(case),
        environment=case.environment,
        python=python_of(case.environment),
        good=good,
        bad=bad,
        expected=_expected(case),
        packages=tuple(packages),
        minutes=minutes,
    )


def measured_name(case: Change) -> str:
    """Return the name of the case of the suite: counts in a history have a name of their own."""
    return case_name(case.benchmark.removesuffix(COUNTS_SUFFIX), case.params)


def python_of(environment: str) -> str:
    """Return the Python in asv's name of an environment, ``TYPE-pyVERSION-...``."""
    parts = environment.split("-")
    return parts[1].removeprefix("py") if len(parts) > 1 and parts[1].startswith("py") else ""


def begin(alerts: Alerts, name: str, minutes: int, day: str) -> Alerts:
    """Return *alerts* when the search for the alert *name* begins: its attempt and its minutes are counted."""
    used = alerts.bisected.minutes if alerts.bisected.day == day else 0
    changed = tuple(_begun(alert) if alert.id == name else alert for alert in alerts.alerts)
    return replace(alerts, alerts=changed, bisected=BisectionUsage(day=day, minutes=used + minutes))


def end(alerts: Alerts, name: str, result: AlertBisection) -> Alerts:
    """Return *alerts* with the *result* of the alert *name*; one of another range than today's changes nothing."""

    def ended(alert: Alert) -> Alert:
        begun = current_bisection(alert)
        if alert.id != name or begun is None or (begun.good, begun.bad) != (result.good, result.bad):
            return alert
        return replace(alert, bisection=replace(result, attempts=begun.attempts))

    return replace(alerts, alerts=tuple(map(ended, alerts.alerts)))


def result_of(
    alert: Alert, found: bisect_format.Bisection | None, commits: Sequence[CommitHash], subject: str = ""
) -> AlertBisection:
    """Return what *alert* keeps of the answer *found*, None if the job left none.

    *found* comes from a job that ran the project's code. It can only name one of *commits*, those of the range by git,
    and *subject* is what git knows of it; anything else becomes a failed search.
    """
    good, bad = _range_of(alert)
    base = AlertBisection(good=good, bad=bad)
    if found is None:
        return replace(base, reason="the job left no result")
    if problem := find_problem(alert, found, commits):
        return replace(base, answer="failed", reason=f"the result is refused: {problem}")
    base = replace(
        base,
        answer=found.answer,
        decided_by=found.decided_by,
        case=found.case[:MAX_TEXT],
        relative_change=found.relative_change,
        error=found.error,
        reason=found.reason[:MAX_TEXT],
    )
    if found.answer not in FOUND:
        return base
    if found.packages:
        return _with_packages(base, found)
    between = commits[commits.index(CommitHash(found.before)) + 1 : commits.index(CommitHash(found.after)) + 1]
    sentences = found.cause.sentences() if found.cause else ()
    return replace(
        base,
        before=found.before,
        after=found.after,
        range_size=1 if found.answer == "commit" else len(between),  # others between do not matter
        subject=subject[:MAX_TEXT],
        functions=tuple(one[:MAX_TEXT] for one in sentences[:MAX_FUNCTIONS]),
    )


def find_problem(alert: Alert, found: bisect_format.Bisection, commits: Sequence[CommitHash]) -> str:
    """Return why *found* cannot be an answer to *alert*; empty if it can."""
    if found.answer == "failed":
        return ""
    if found.case not in {measured_name(case) for case in alert.cases}:
        return "it is about another case"
    if found.relative_change is not None and not abs(found.relative_change) < MAX_CHANGE:
        return "its change is not plausible"
    if found.answer not in FOUND:
        return ""
    named = (found.commit,) if found.packages else (found.before, found.after)
    places = [commits.index(CommitHash(one)) if one in commits else -1 for one in named]
    if -1 in places:
        return "its commits are not in the range"
    return "its commits are not in order" if places != sorted(set(places)) else ""


def _with_packages(base: AlertBisection, found: bisect_format.Bisection) -> AlertBisection:
    names = [one.hash for one in found.candidates]
    left = set(names[names.index(found.before) + 1 : names.index(found.after) + 1])
    return replace(
        base,
        range_size=len(left),
        packages=tuple(one.description for one in found.packages if one.name in left)[:MAX_PACKAGES],
        alone_shows=found.alone_shows,
    )


def _begun(alert: Alert) -> Alert:
    good, bad = _range_of(alert)
    begun = current_bisection(alert) or AlertBisection(good=good, bad=bad)
    return replace(alert, bisection=replace(begun, attempts=begun.attempts + 1, answer="unfinished", reason=""))


def search_range(location: CandidateCommits) -> tuple[str, str]:
    """Return the good and the bad commit of a search: the parent of the first candidate, and the last one.

    Of more candidates than the alert keeps, the last measured commit before the change is the good one.
    """
    found = location.candidates
    if not found:
        return location.previous_commit, location.commit
    complete = len(found) == location.candidate_count
    return (f"{found[0]}^" if complete else location.previous_commit), found[-1]


def _range_of(alert: Alert) -> tuple[str, str]:
    assert alert.location is not None
    return search_range(alert.location)


def _commits(alert: Alert) -> int:
    return alert.location.candidate_count if alert.location else 0


def _size(alert: Alert) -> float:
    case = searched_case(alert)
    return abs(case.relative_change or 0) if case else 0.0


def _expected(case: Change) -> float | None:
    """Return the change of a time; that of another measure does not say how a time changed."""
    return case.relative_change if case.unit in {"seconds", "s"} else None

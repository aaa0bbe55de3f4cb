"""Renders an alert as the title and text of an issue; every name in it may come from outsiders and is escaped."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from windtunnel.detect.alert_format import Alert, AlertState
from windtunnel.detect.alert_plot import render_plot
from windtunnel.detect.bisection_text import render_bisection_result
from windtunnel.detect.bisections import ANSWERED, current_bisection
from windtunnel.detect.format import OVER, CandidateCommits, Change, Direction
from windtunnel.detect.report import by_size, describe_scope, format_shares
from windtunnel.model.identity import case_name
from windtunnel.text import numbers
from windtunnel.text.escaping import LINKS, code, plain, visible

MAX_ROWS = 50
"""Cases in a table; alerts.json has all of them. GitHub's limit for a text is 65,536 characters."""
MAX_TITLE = 200
"""Characters of a title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitInfo:
    """What git knows about a commit."""

    subject: str = ""
    author: str = ""
    login: str = ""
    """The author's name at GitHub, where their email address contains it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOptions:
    """What a text links to; empty if the page does not exist."""

    repository_url: str = ""
    site_url: str = ""
    mention: bool = False
    """Whether the text mentions the author of the commit by @name."""


def render_title(alert: Alert) -> str:
    """Return the title of *alert*: what changed, by how much, at which commit."""
    return visible(LINKS.sub("\\1\N{ZERO WIDTH SPACE}", _title(alert)), MAX_TITLE)


def render_text(alert: Alert, suspect: CommitInfo, options: TextOptions) -> str:
    """Return the text of *alert* in Markdown; the same alert always has the same text."""
    return "".join(f"{part}\n\n" for part in _parts(alert, suspect, options) if part)


def is_actionable(alert: Alert) -> bool:
    """Return whether *alert* has a regression or a health issue."""
    if alert.machine_shift is not None:
        return alert.machine_shift.direction is Direction.REGRESSED
    return alert.health_issue is not None or any(case.direction is Direction.REGRESSED for case in alert.cases)


def format_change(relative_change: float | None) -> str:
    """Return a relative change with its sign; a change from zero has none."""
    if relative_change is None:
        return "from zero"
    sign = "+" if relative_change > 0 else numbers.MINUS
    return f"{sign}{numbers.share(abs(relative_change))}"


def format_level(value: float, unit: str | None) -> str:
    """Return a level in its unit, which is not escaped."""
    return numbers.quantity(value, None, unit or "unit").value


def _title(alert: Alert) -> str:
    if alert.health_issue is not None:
        return f"Measurements: {alert.health_issue.message}"
    at = f" at {alert.location.commit[:10]}" if alert.location else ""
    if alert.machine_shift is not None:
        change = format_change(alert.machine_shift.relative_change)
        return f"Nearly all times on {visible(alert.machine_shift.machine, 60)} changed by {change}{at}"
    regressed = [case for case in alert.cases if case.direction is Direction.REGRESSED]
    shown = by_size(regressed or alert.cases)
    what, change = "Regression" if regressed else "Improvement", format_change(shown[0].relative_change)
    up_to = "up to " if len(shown) > 1 else ""
    better = [case for case in alert.cases if case.direction is Direction.IMPROVED] if regressed else []
    other = f"; {len(better)} improved, by up to {format_change(by_size(better)[0].relative_change)}" if better else ""
    return f"{what}: {visible(describe_scope(shown), 110)} by {up_to}{change}{at}{other}"


def _parts(alert: Alert, suspect: CommitInfo, options: TextOptions) -> Iterator[str]:
    yield _headline(alert)
    if alert.location is not None:
        yield _location(alert.location, suspect, options)
    if done := current_bisection(alert):
        yield render_bisection_result(done, options.repository_url)
    if alert.cases:
        yield _table(alert.cases)
    if alert.plot_window is not None:
        yield render_plot(alert.plot_window)
    if alert.state is AlertState.OPEN:
        yield _advice(alert)
    yield f"Alert {alert.id}, detected {alert.raised[:10]}{f', over {alert.updated[:10]}' if alert.over else ''}."
    if options.site_url:
        yield _links(alert, options.site_url)


def _headline(alert: Alert) -> str:
    state = f"**{alert.state.capitalize()}**" + (f": {alert.over}" if alert.over else "")
    if alert.health_issue is not None:
        return f"{state}. {plain(alert.health_issue.message, 500)}."
    if alert.machine_shift is not None:
        shift = alert.machine_shift
        return (
            f"{state}. {shift.shifted_cases} of {shift.total_cases} cases on {code(shift.machine, 60)} changed by "
            f"nearly the same factor, the median case by {format_change(shift.relative_change)}. "
            "Likely causes: other hardware, another interpreter, or a change that affects everything."
        )
    worse = sum(case.direction is Direction.REGRESSED for case in alert.cases)
    better = len(alert.cases) - worse
    return f"{state}. {numbers.count(worse, 'case')} regressed, {better} improved."


def _location(location: CandidateCommits, suspect: CommitInfo, options: TextOptions) -> str:
    commit, before = _commit(location.commit, options), _commit(location.previous_commit, options)
    count = location.candidate_count
    lead = f"Suspected: {commit}" if count <= 1 else f"Suspected: one of {count} commits, most likely {commit}"
    author = f"@{suspect.login}" if options.mention and suspect.login else plain(suspect.author, 60)
    subject = f", {plain(suspect.subject, 120)}" if suspect.subject else ""
    by = f", by {author}" if author else ""
    diff = f"{options.repository_url}/compare/{location.previous_commit}...{location.commit}"
    link = f" ([compare]({diff}))" if options.repository_url else ""
    return f"{lead}{subject}{by}. The last measured commit before it is {before}{link}."


def _commit(commit: str, options: TextOptions) -> str:
    short = code(commit[:10])
    has_page = options.repository_url and commit.isalnum()
    return f"[{short}]({options.repository_url}/commit/{commit})" if has_page else short


def _table(cases: Sequence[Change]) -> str:
    head = "| | case | before | after | change | now |\n|---|---|---:|---:|---:|---|\n"
    more = f"\n… and {len(cases) - MAX_ROWS} more: see alerts.json" if len(cases) > MAX_ROWS else ""
    return head + "".join(map(_row, by_size(cases)[:MAX_ROWS])).rstrip("\n") + more


def _row(case: Change) -> str:
    name = f"{code(case_name(case.benchmark, case.params))}<br>{code(case.environment, 80)} on {code(case.machine, 40)}"
    before, after = (plain(format_level(value, case.unit), 60) for value in (case.before, case.after))
    if case.shares is not None:
        name += f"<br>{plain(format_shares(case.shares, case.unit), 120)}"
    change, now = format_change(case.relative_change), "resolved" if case.status in OVER else "unchanged"
    return f"| {case.direction} | {name} | {before} | {after} | {change} | {now} |\n"


def _advice(alert: Alert) -> str:
    lines = []
    done = current_bisection(alert)
    searched = done is not None and done.answer in ANSWERED
    if alert.location is not None and alert.cases and alert.location.candidate_count > 1 and not searched:
        worst = by_size(alert.cases)[0]
        commits = (alert.location.previous_commit[:12], alert.location.commit[:12])
        arguments = (case_name(worst.benchmark, worst.params), *commits)
        command = f"windtunnel bisect {' '.join(map(shlex.quote, arguments))}"
        lines.append(f"To find the commit: {code(command, 300)}")
    accept = "this is intended" if alert.health_issue else "the change is intended: the new level is the reference"
    lines += [
        f"If {accept}, close the issue as *not planned*. If it is done with, close it as *completed*.",
        "To report nothing for now, set the label `muted`.",
        "The issue is closed when the results no longer show the alert. Updates replace this text; comments are kept.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _links(alert: Alert, site: str) -> str:
    """Return links to the history of the plotted case, and to the site."""
    if alert.plot_window is None or alert.plot_window.case is None:
        return f"[History site]({site})"
    name = quote(alert.plot_window.case.benchmark, safe="", errors="replace")
    return f"[History of the benchmark]({site}?page=benchmark&name={name}), [all changes]({site}?page=changes)"

"""Renders an alert as the title and text of an issue; every name in it may come from outsiders and is escaped."""

import shlex
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from windtunnel.detect import alert_format
from windtunnel.detect.bisections import ANSWERED, MAX_ATTEMPTS, current_bisection
from windtunnel.detect.format import OVER, CandidateCommits, Change
from windtunnel.detect.report import by_size, describe_moved, describe_scope, format_shares
from windtunnel.git.repository import Commit
from windtunnel.model.identity import case_name
from windtunnel.text import numbers
from windtunnel.text.escaping import LINKS, code, plain, visible

MAX_ROWS = 50
"""Cases in a table; alerts.json has all of them. GitHub's limit for a text is 65,536 characters."""
MAX_TITLE = 200
"""Characters of a title."""


def render_title(alert: alert_format.Alert) -> str:
    """Return the title of *alert*: what changed, by how much, at which commit."""
    return visible(LINKS.sub("\\1\N{ZERO WIDTH SPACE}", _title(alert)), MAX_TITLE)


def build_text(
    alert: alert_format.Alert, key: str, suspect: Commit | None = None, repository_url: str = "", site_url: str = ""
) -> tuple[str, str] | None:
    """Return the title and the text, in Markdown, of the issue of *alert*; None for improvements, which have no issues.

    *suspect* is the suspected commit, and the URLs are empty, if they are not known. The same alert always has the same
    text.
    """
    if not is_actionable(alert):
        return None
    parts = (
        *filter(None, _parts(alert, suspect, repository_url, site_url)),
        f"<!-- windtunnel:alert key={key} id={alert.id} -->\n",
    )
    return render_title(alert), "\n\n".join(parts)


def is_actionable(alert: alert_format.Alert) -> bool:
    """Return whether *alert* has a regression or a health issue."""
    if alert.machine_shift is not None:
        return alert.machine_shift.direction == "regressed"
    return alert.health_issue is not None or any(case.direction == "regressed" for case in alert.cases)


def format_change(relative_change: float | None) -> str:
    """Return a relative change with its sign; a change from zero has none."""
    if relative_change is None:
        return "from zero"
    sign = "+" if relative_change > 0 else numbers.MINUS
    return f"{sign}{numbers.share(abs(relative_change))}"


def format_level(value: float, unit: str | None) -> str:
    """Return a level in its unit, which is not escaped."""
    return numbers.quantity(value, None, unit or "unit").value


def _title(alert: alert_format.Alert) -> str:
    if alert.health_issue is not None:
        return f"Measurements: {alert.health_issue.message}"
    at = f" at {alert.location.commit[:10]}" if alert.location else ""
    if alert.machine_shift is not None:
        change = format_change(alert.machine_shift.relative_change)
        return f"Nearly all times on {visible(alert.machine_shift.machine, 60)} changed by {change}{at}"
    shown = _leading(alert.cases)
    moved = visible(describe_moved(alert.location.moved), 80) if alert.location else ""
    what = moved or ("Regression" if shown[0].direction == "regressed" else "Improvement")
    change, up_to = format_change(shown[0].relative_change), "up to " if len(shown) > 1 else ""
    better = [case for case in alert.cases if case.direction != shown[0].direction]
    other = f"; {len(better)} improved, by up to {format_change(by_size(better)[0].relative_change)}" if better else ""
    return f"{what}: {visible(describe_scope(shown), 110)} by {up_to}{change}{at}{other}"


def _leading(cases: Sequence[Change]) -> list[Change]:
    """Return the regressions of *cases*, the largest first; the improvements where there are none."""
    return by_size([case for case in cases if case.direction == "regressed"] or cases)


def _parts(alert: alert_format.Alert, suspect: Commit | None, repository_url: str, site_url: str) -> Iterator[str]:
    yield _headline(alert)
    if alert.location is not None:
        yield _location(alert.location, suspect, repository_url)
        yield "\n".join(_moved(alert, alert.location))
    if done := current_bisection(alert):
        yield "\n".join(_bisected(done, repository_url))
    if alert.cases:
        yield _table(alert.cases)
    if alert.state == "open":
        yield _advice(alert)
    over = f", over {plain(alert.updated[:10])}" if alert.over else ""
    yield f"Alert {plain(alert.id[:12])}, detected {plain(alert.raised[:10])}{over}."
    if site_url:
        yield _links(alert, site_url)


def _headline(alert: alert_format.Alert) -> str:
    state = f"**{alert.state.capitalize()}**" + (f": {plain(alert.over, 200)}" if alert.over else "")
    if alert.health_issue is not None:
        return f"{state}. {plain(alert.health_issue.message, 500)}."
    if alert.machine_shift is not None:
        shift = alert.machine_shift
        return (
            f"{state}. {shift.shifted_cases} of {shift.total_cases} cases on {code(shift.machine, 60)} changed by "
            f"nearly the same factor, the median case by {format_change(shift.relative_change)}. "
            "Likely causes: other hardware, another interpreter, or a change that affects everything."
        )
    worse = sum(case.direction == "regressed" for case in alert.cases)
    better = len(alert.cases) - worse
    return f"{state}. {numbers.count(worse, 'case')} regressed, {better} improved."


def _location(location: CandidateCommits, suspect: Commit | None, repository_url: str) -> str:
    commit, before = (_commit(each, repository_url) for each in (location.commit, location.previous_commit))
    count = location.candidate_count
    lead = f"Suspected: {commit}" if count <= 1 else f"Suspected: one of {count} commits, most likely {commit}"
    subject = f", {plain(suspect.subject, 120)}" if suspect and suspect.subject else ""
    by = f", by {plain(suspect.author, 60)}" if suspect and suspect.author else ""
    diff = f"{repository_url}/compare/{location.previous_commit}...{location.commit}"
    link = f" ([compare]({diff}))" if repository_url else ""
    return f"{lead}{subject}{by}. The last measured commit before it is {before}{link}."


def _moved(alert: alert_format.Alert, location: CandidateCommits) -> Iterator[str]:
    """Yield what moved between the two commits besides the project, and how to find the package."""
    moved = location.moved
    if moved.python:
        yield f"- {plain(moved.python, 200)}"
    yield from (f"- {plain(one, 200)}" for one in moved.packages)
    if moved.count > len(moved.packages):
        yield f"- … and {moved.count - len(moved.packages)} more packages"
    if moved.count > 1 and alert.cases and not alert.over:
        worst = _leading(alert.cases)[0]
        arguments = (case_name(worst.benchmark, worst.params), location.previous_commit[:12], location.commit[:12])
        command = f"windtunnel bisect {' '.join(map(shlex.quote, arguments))} --packages --results .asv/results"
        yield f"\nTo find the package: {code(command, 400)}"


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


def _advice(alert: alert_format.Alert) -> str:
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


def _links(alert: alert_format.Alert, site: str) -> str:
    """Return links to the history of the largest regression, and to the site."""
    if not alert.cases:
        return f"[History site]({site})"
    name = quote(_leading(alert.cases)[0].benchmark, safe="", errors="replace")
    return f"[History of the benchmark]({site}?page=benchmark&name={name}), [all changes]({site}?page=changes)"


MAX_CASE = 120
"""Characters of the name of a case."""


def _bisected(found: alert_format.AlertBisection, repository_url: str) -> Iterator[str]:
    """Yield what the search found, the answer first; nothing while there is nothing to say."""
    match found.answer:
        case "commit" | "range" if found.packages or found.after:
            yield f"**Bisected:** {_what(found, repository_url)}. {_basis(found)}"
            yield from (f"- {plain(one, 300)}" for one in found.functions)
        case "nothing":
            yield f"**Bisected:** the range does not explain the change: {plain(found.reason, 300)}."
        case "failed":
            yield f"The bisection failed: {plain(found.reason, 300)}."
        case _ if found.attempts >= MAX_ATTEMPTS:
            why = f" ({plain(found.reason, 300)})" if found.reason else ""
            yield f"The bisection did not end in {numbers.count(found.attempts, 'attempt')}{why}."
        case _:
            pass


def _what(found: alert_format.AlertBisection, repository_url: str) -> str:
    change = "" if found.relative_change is None else f" by {format_change(found.relative_change)}"
    unit = " in instructions" if change and found.decided_by == "instructions" else ""
    changed = f"changed {code(found.case, MAX_CASE)}{change}{unit}"
    if found.packages:
        return _packages(found, changed)
    commit = _commit(found.after, repository_url)
    if found.range_size > 1:
        return f"one of {found.range_size} commits up to {commit} {changed}"
    subject = f", {plain(found.subject, 120)}," if found.subject else ""
    return f"{commit}{subject} {changed}"


def _packages(found: alert_format.AlertBisection, changed: str) -> str:
    names = ", ".join(code(one, 120) for one in found.packages)
    lead = "no commit of the project, but "
    if found.range_size > 1:
        return f"{lead}one of {found.range_size} packages ({names}), or several together, {changed}"
    together = {
        True: "",
        False: ", only together with other packages that moved",
        None: "; whether it does so alone is not known",
    }[found.alone_shows]
    return f"{lead}the package {names} {changed}{together}"


def _basis(found: alert_format.AlertBisection) -> str:
    if found.decided_by == "instructions":
        return "Instruction counts decided, which noise does not change."
    return f"Time decided; the answer is wrong with a probability of at most {found.error:.0%}."


def _commit(commit: str, repository_url: str) -> str:
    short = code(commit[:10])
    return f"[{short}]({repository_url}/commit/{commit})" if repository_url and commit.isalnum() else short

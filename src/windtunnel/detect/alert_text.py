"""An alert as the title and text of an issue; every name in it is foreign and stays text."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from windtunnel.detect.alert_format import OPEN, Alert, AlertedCase, AlertState
from windtunnel.detect.alert_plot import plot
from windtunnel.detect.format import CandidateCommits, Direction
from windtunnel.model.identity import case_name
from windtunnel.text import numbers
from windtunnel.text.escaping import LINKS, code, plain, visible
from windtunnel.text.numbers import share

MOST_ROWS = 50
"""Cases in a table; alerts.json has all of them, and a text of 65,536 characters is GitHub's limit."""
MOST_TURNS = 10
LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitInfo:
    """What git says of a commit; *login* is the author's name at the forge, where their address tells it."""

    subject: str = ""
    author: str = ""
    login: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOptions:
    """What a text links to: the repository's pages and the site, "" where there are none; and whom it may call."""

    repository_url: str = ""
    site_url: str = ""
    mention: bool = False


def title(alert: Alert) -> str:
    """Return the title of an alert: what, how much, since when."""
    return visible(LINKS.sub("\\1\N{ZERO WIDTH SPACE}", _title(alert)), LONGEST_TITLE)


def text(alert: Alert, suspect: CommitInfo, around: TextOptions) -> str:
    """Return the text of an alert in Markdown; the same alert always gives the same."""
    return "".join(f"{part}\n\n" for part in _parts(alert, suspect, around) if part)


def is_actionable(alert: Alert) -> bool:
    """Tell whether an alert speaks of anything for the worse."""
    if alert.move is not None:
        return alert.move.direction is Direction.REGRESSED
    return alert.health_issue is not None or any(member.direction is Direction.REGRESSED for member in alert.members)


def format_change(relative_change: float | None) -> str:
    """Return a relative change with its sign; from zero there is none."""
    if relative_change is None:
        return "from zero"
    sign = "+" if relative_change > 0 else numbers.MINUS
    return f"{sign}{share(abs(relative_change))}"


def format_level(value: float, unit: str | None) -> str:
    """Return a level in its unit, which may be foreign."""
    return numbers.quantity(value, None, unit or "unit").value


def _title(alert: Alert) -> str:
    if alert.health_issue is not None:
        return f"Measuring: {alert.health_issue.text}"
    at = f" at {alert.where.commit[:10]}" if alert.where else ""
    if alert.move is not None:
        how = format_change(alert.move.relative_change)
        return f"Nearly everything on {visible(alert.move.machine, 60)} moved by {how}{at}"
    bad = [member for member in alert.members if member.direction is Direction.REGRESSED]
    shown = bad or list(alert.members)
    worst = max(shown, key=lambda one: abs(one.relative_change or 0))
    cases = visible(case_name(worst.benchmark, worst.params), 90) if len(shown) == 1 else f"{len(shown)} cases"
    upto = "by" if len(shown) == 1 else "by up to"
    return f"{'Regression' if bad else 'Improvement'}: {cases} {upto} {format_change(worst.relative_change)}{at}"


def _parts(alert: Alert, suspect: CommitInfo, around: TextOptions) -> Iterator[str]:
    yield _headline(alert)
    if alert.where is not None:
        yield _place(alert.where, suspect, around)
    if alert.members:
        yield _table(alert.members)
    if alert.course is not None:
        yield plot(alert.course)
    if alert.state in OPEN:
        yield _advice(alert)
    yield _turns(alert)
    if around.site_url:
        yield _links(alert, around.site_url)


def _headline(alert: Alert) -> str:
    state = f"**{alert.state.capitalize()}**" + (f" until {alert.until[:10]}" if alert.until else "")
    if alert.health_issue is not None:
        return f"{state}. {plain(alert.health_issue.text, 500)}."
    if alert.move is not None:
        move = alert.move
        how = format_change(move.relative_change)
        return (
            f"{state}. Nearly all cases on {code(move.machine, 60)} moved alike, the middle one by {how} "
            f"({move.cases} of {move.total}): other hardware, another interpreter, or a change to everything."
        )
    worse = sum(member.direction is Direction.REGRESSED for member in alert.members)
    return f"{state}. {worse} {'case' if worse == 1 else 'cases'} became worse, {len(alert.members) - worse} better."


def _place(where: CandidateCommits, suspect: CommitInfo, around: TextOptions) -> str:
    commit, before = _commit(where.commit, around), _commit(where.previous_commit, around)
    one = where.candidate_count <= 1
    lead = f"Suspected: {commit}" if one else f"Suspected: one of {where.candidate_count} commits, likely {commit}"
    who = f"@{suspect.login}" if around.mention and suspect.login else plain(suspect.author, 60)
    about = f", {plain(suspect.subject, 120)}" if suspect.subject else ""
    by = f", by {who}" if who else ""
    span = f"{around.repository_url}/compare/{where.previous_commit}...{where.commit}"
    link = f" ([what differs]({span}))" if around.repository_url else ""
    return f"{lead}{about}{by}; {before} was measured before it{link}."


def _commit(commit: str, around: TextOptions) -> str:
    short = code(commit[:10])
    is_hash = commit.isalnum()
    return f"[{short}]({around.repository_url}/commit/{commit})" if around.repository_url and is_hash else short


def _table(members: Sequence[AlertedCase]) -> str:
    rows = sorted(members, key=lambda one: -abs(one.relative_change or 0))
    head = "| | case | before | after | change | now |\n|---|---|---:|---:|---:|---|\n"
    more = f"\n… and {len(rows) - MOST_ROWS} more: see alerts.json" if len(rows) > MOST_ROWS else ""
    return head + "".join(map(_row, rows[:MOST_ROWS])).rstrip("\n") + more


def _row(one: AlertedCase) -> str:
    word = "worse" if one.direction is Direction.REGRESSED else "better"
    now = "fixed" if one.fixed else "as it became"
    where = f"<br>{code(one.environment, 80)} on {code(one.machine, 40)}"
    before, after = plain(format_level(one.before, one.unit), 60), plain(format_level(one.after, one.unit), 60)
    change = format_change(one.relative_change)
    return f"| {word} | {code(case_name(one.benchmark, one.params))}{where} | {before} | {after} | {change} | {now} |\n"


def _advice(alert: Alert) -> str:
    lines = []
    if alert.where is not None and alert.members and alert.where.candidate_count > 1:
        worst = max(alert.members, key=lambda one: abs(one.relative_change or 0))
        parts = (case_name(worst.benchmark, worst.params), alert.where.previous_commit[:12], alert.where.commit[:12])
        command = f"windtunnel bisect {' '.join(map(shlex.quote, parts))}"
        lines.append(f"To find the commit among them: {code(command, 300)}")
    lines.append(f"Somebody looks into it: {code(f'windtunnel ack {alert.id} --why …')}")
    if alert.health_issue is None:
        lines.append(f"It was meant: {code(f'windtunnel expect {alert.id} --why …')}")
    lines.append("It is closed when the level is back. This text is rewritten when there is news; comments stay.")
    return "".join(f"- {line}\n" for line in lines).rstrip("\n")


def _links(alert: Alert, site: str) -> str:
    """Return links to the history of the case that is drawn, and to the site."""
    if alert.course is None or alert.course.case is None:
        return f"[History site]({site})"
    name = quote(alert.course.case.benchmark, safe="", errors="replace")
    return f"[Its history]({site}?page=benchmark&name={name}), [all changes]({site}?page=changes)"


def _turns(alert: Alert) -> str:
    turns = [note for note in alert.history if note.state is not AlertState.UPDATED or note.why][-MOST_TURNS:]
    lines = [
        f"- {note.when[:10]} {note.state} by {plain(note.who, 60)}{f': {plain(note.why, 500)}' if note.why else ''}"
        for note in turns
    ]
    return "\n".join(lines)

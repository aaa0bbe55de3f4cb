"""What is to be done at a forge so that its issues say what alerts say: effects as values, from what stands there.

The issues themselves are the record of what was told: whatever is missing is told by the next run, however the last
one died. Each is known by a hidden line of ours, in an issue of our own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.detect.alert_format import Alert, State
from windtunnel.detect.alert_text import Surroundings, Suspect, is_bad, text, title

LINE = re.compile(r"<!-- windtunnel:alert key=([A-Za-z0-9_.-]+) id=([0-9a-f]{12}) is=(open|closed) -->")
TELLING = frozenset({State.RAISED, State.UPDATED, State.ACKNOWLEDGED})
"""States that an issue is opened for."""
ENDED = frozenset({State.RESOLVED, State.EXPECTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An issue of ours as it stands there; *says_open* is what its hidden line says that we left it as."""

    number: int
    alert: str
    body: str
    is_open: bool
    says_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIssue:
    """Open an issue for *alert*."""

    alert: str
    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteIssue:
    """Bring an issue up to date."""

    number: int
    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseIssue:
    """Close an issue: *fixed*, or not to be worked on."""

    number: int
    fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenIssue:
    """Open an issue again that we had closed ourselves."""

    number: int


Effect = OpenIssue | RewriteIssue | CloseIssue | ReopenIssue


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an issue should be: *is_open* None leaves that as it is, and opens none."""

    alert: str
    title: str
    body: str
    is_open: bool | None
    fixed: bool


def wanted(alert: Alert, key: str, suspect: Suspect, around: Surroundings) -> Wanted | None:
    """Return what the issue of *alert* should be, None for what no issue speaks of: improvements."""
    if not is_bad(alert):
        return None
    is_open = True if alert.state in TELLING else False if alert.state in ENDED else None
    marker = f"<!-- windtunnel:alert key={key} id={alert.id} is={'closed' if is_open is False else 'open'} -->"
    return Wanted(
        alert=alert.id,
        title=title(alert),
        body=f"{text(alert, suspect, around)}{marker}\n",
        is_open=is_open,
        fixed=alert.state is State.RESOLVED,
    )


def standing(number: int, body: str, key: str, *, is_open: bool) -> Standing | None:
    """Return what an issue with *body* stands for, None where its last line is not ours."""
    body = body.replace("\r\n", "\n").rstrip()
    found = LINE.fullmatch(body.rpartition("\n")[2])
    if found is None or found[1] != key:
        return None
    return Standing(number=number, alert=found[2], body=body, is_open=is_open, says_open=found[3] == "open")


def effects(wishes: Sequence[Wanted], there: Sequence[Standing]) -> tuple[Effect, ...]:
    """Return what is to be done, in an order in which a death after each step is mended by the next run.

    Of several issues for one alert, which two runs at once may open, the oldest stays.
    """
    first: dict[str, Standing] = {}
    done: list[Effect] = []
    for one in sorted(there, key=lambda one: one.number):
        if one.alert not in first:
            first[one.alert] = one
        elif one.is_open:
            done.append(CloseIssue(number=one.number, fixed=False))
    for wish in wishes:
        own = first.get(wish.alert)
        if own is not None:
            done += _brought_up(own, wish)
        elif wish.is_open:
            done.append(OpenIssue(alert=wish.alert, title=wish.title, body=wish.body))
    return tuple(done)


def _brought_up(own: Standing, wish: Wanted) -> tuple[Effect, ...]:
    rewrite = (RewriteIssue(number=own.number, title=wish.title, body=wish.body),)
    news = rewrite if own.body != wish.body.rstrip() else ()
    if wish.is_open and not own.is_open:
        return () if own.says_open else (ReopenIssue(number=own.number), *news)  # a person closed it: so it stays
    if wish.is_open is False and own.is_open:
        return (*news, CloseIssue(number=own.number, fixed=wish.fixed))
    return news if own.is_open or not own.says_open else ()

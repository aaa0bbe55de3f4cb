"""Builds the two feeds of a project, regressions and improvements, as Atom (RFC 4287).

The standard library is enough. The maintained library for this, feedgen, needs lxml and writes the current time into
each feed, so that the same entries would give different bytes.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET

from windtunnel.detect.alert_events import Observation
from windtunnel.detect.alert_format import Alert, Alerts
from windtunnel.detect.alert_text import format_change, format_level, is_actionable, render_title
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import Change, DetectedChanges
from windtunnel.detect.report import by_size
from windtunnel.model.identity import case_name
from windtunnel.text.escaping import visible

MAX_ENTRIES = 100
"""Entries of a feed; readers keep older ones."""
MAX_ROWS = 20
"""Cases in an entry, those with the largest changes."""
MAX_NAME = 40
"""Characters of the name of an environment or a machine in an entry; what is cut is in the middle."""
FOLDER = "feeds"
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
"""Characters that ids do not have."""
ATOM = "http://www.w3.org/2005/Atom"
NO_DATE = "1970-01-01T00:00:00Z"
"""The date of a feed without entries; Atom requires one."""
AUTHOR = "Windtunnel"


def build_feeds(changes: DetectedChanges, alerts: Alerts | None, project: str, site: str = "") -> Mapping[str, bytes]:
    """Return the content of every feed by its path below the *site*, a URL with a slash at its end; empty if unknown.

    The same input gives the same bytes. Without *alerts*, the ids of entries are those that *changes* would get first;
    they may change when the suspected commits do.
    """
    known = _first_alerts(changes) if alerts is None else alerts
    shown = [alert for alert in known.alerts if alert.health_issue is None]
    files = {}
    for name, chosen in (("regressions", is_actionable), ("improvements", _has_improvement)):
        newest = sorted(filter(chosen, shown), key=lambda alert: (_updated(alert), alert.id), reverse=True)
        path = f"{FOLDER}/{name}.atom"
        files[path] = _feed(name, newest[:MAX_ENTRIES], project, site, f"{site}{path}" if site else "")
    return files


def _first_alerts(changes: DetectedChanges) -> Alerts:
    dates = [event.date for event in (*changes.events, *changes.machine_shifts)]
    return update_alerts(Alerts(), Observation(changes=changes, time=max(dates, default="") or NO_DATE))


def _has_improvement(alert: Alert) -> bool:
    if alert.machine_shift is not None:
        return alert.machine_shift.direction == "improved"
    return any(case.direction == "improved" for case in alert.cases)


def _tag(project: str, what: str) -> str:
    """Return an id that never changes, a tag URI (RFC 4151)."""
    return f"tag:{UNSAFE.sub('-', project) or 'project'}.windtunnel,2026:{what}"


def _published(alert: Alert) -> str:
    return (alert.location.date if alert.location else "") or alert.raised


def _updated(alert: Alert) -> str:
    return max(_published(alert), alert.updated)


def _content(alert: Alert) -> Iterator[str]:
    if alert.location is not None:
        previous, count = html.escape(alert.location.previous_commit[:12]), alert.location.candidate_count
        one_of = f", one of {count} commits" if count > 1 else ""
        yield f"<p>At {html.escape(alert.location.commit)}{one_of} after {previous}.</p>"
        for moved in filter(None, (alert.location.moved.python, *alert.location.moved.packages)):
            yield f"<p>{_escaped(moved)}</p>"
    if alert.machine_shift is not None:
        shift = alert.machine_shift
        yield f"<p>{shift.shifted_cases} of {shift.total_cases} cases changed by nearly the same factor.</p>"
    if alert.cases:
        yield from _table(alert.cases)
        if len(alert.cases) > MAX_ROWS:
            yield f"<p>… and {len(alert.cases) - MAX_ROWS} more.</p>"


def _table(cases: Sequence[Change]) -> Iterator[str]:
    """Yield the largest changes; an environment that they have in common is named once."""
    rows = by_size(cases)[:MAX_ROWS]
    places = [f"{visible(case.environment, MAX_NAME)} on {visible(case.machine, MAX_NAME)}" for case in rows]
    shared = len(set(places)) == 1
    if shared:
        yield f"<p>In {_escaped(places[0])}:</p>"
    heads = ("case", *(() if shared else ("where",)), "before", "after", "change")
    yield f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
    for case, place in zip(rows, places, strict=True):
        cells = (
            case_name(case.benchmark, case.params),
            *(() if shared else (place,)),
            format_level(case.before, case.unit),
            format_level(case.after, case.unit),
            format_change(case.relative_change),
        )
        yield f"<tr>{''.join(f'<td>{_escaped(cell)}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _feed(name: str, alerts: Sequence[Alert], project: str, site: str, address: str) -> bytes:
    """Return the feed called *name* with an entry for each of *alerts*; *address* is its own URL."""
    root = ET.Element("feed", {"xmlns": ATOM, "xml:lang": "en"})
    _add(root, "id", _tag(project, f"feed/{name}"))
    _add(ET.SubElement(root, "author"), "name", AUTHOR)
    _add(root, "title", f"{visible(project, 80)}: {name}")
    _add(root, "updated", max(map(_updated, alerts), default=NO_DATE))
    _add_link(root, "alternate", site)
    _add_link(root, "self", address)
    for alert in alerts:
        entry = ET.SubElement(root, "entry")
        _add(entry, "id", _tag(project, f"alert/{alert.id}"))
        _add(entry, "title", f"{render_title(alert)} ({alert.state})")
        _add(entry, "published", _published(alert))
        _add(entry, "updated", _updated(alert))
        _add_link(entry, "alternate", site)
        _add(entry, "content", "".join(_content(alert)), type="html")
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _add(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, name, attributes).text = text


def _add_link(parent: ET.Element, relation: str, address: str) -> None:
    if address:
        ET.SubElement(parent, "link", {"rel": relation, "href": address})

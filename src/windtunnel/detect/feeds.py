"""Builds the two feeds of a project, regressions and improvements, as Atom (RFC 4287) and as JSON Feed 1.1.

The standard library is enough. The maintained library for this, feedgen, needs lxml and writes the current time into
each feed, so that the same entries would give different bytes.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
JSON_FEED = "https://jsonfeed.org/version/1.1"
NO_DATE = "1970-01-01T00:00:00Z"
"""The date of a feed without entries; Atom requires one."""
AUTHOR = "Windtunnel"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry of a feed; dates are in UTC (ISO 8601)."""

    id: str
    """A URI that never changes."""
    title: str
    content: str
    """HTML."""
    published: str
    updated: str


def build_feeds(changes: DetectedChanges, alerts: Alerts | None, project: str, site: str = "") -> Mapping[str, bytes]:
    """Return the content of every feed by its path below the *site*, a URL with a slash at its end; empty if unknown.

    The same input gives the same bytes. Without *alerts*, the ids of entries are those that *changes* would get first;
    they may change when the suspected commits do.
    """
    known = _first_alerts(changes) if alerts is None else alerts
    shown = [alert for alert in known.alerts if alert.health_issue is None]
    files = {}
    for name, chosen in (("regressions", is_actionable), ("improvements", _has_improvement)):
        entries = sorted(
            (_entry(alert, project) for alert in shown if chosen(alert)),
            key=lambda entry: (entry.updated, entry.id),
            reverse=True,
        )[:MAX_ENTRIES]
        title, path = f"{visible(project, 80)}: {name}", f"{FOLDER}/{name}"
        atom, json_feed = (f"{site}{path}{end}" if site else "" for end in (".atom", ".json"))
        files[f"{path}.atom"] = _atom(_tag(project, f"feed/{name}"), title, entries, site, atom)
        files[f"{path}.json"] = _json(title, entries, site, json_feed)
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


def _entry(alert: Alert, project: str) -> FeedEntry:
    published = (alert.location.date if alert.location else "") or alert.raised
    return FeedEntry(
        id=_tag(project, f"alert/{alert.id}"),
        title=f"{render_title(alert)} ({alert.state})",
        content="".join(_content(alert)),
        published=published,
        updated=max(published, alert.updated),
    )


def _content(alert: Alert) -> Iterator[str]:
    if alert.location is not None:
        previous, count = html.escape(alert.location.previous_commit[:12]), alert.location.candidate_count
        one_of = f", one of {count} commits" if count > 1 else ""
        yield f"<p>At {html.escape(alert.location.commit)}{one_of} after {previous}.</p>"
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


def _atom(name: str, title: str, entries: Sequence[FeedEntry], site: str, address: str) -> bytes:
    """Return the feed with the id *name* as Atom."""
    root = ET.Element("feed", {"xmlns": ATOM, "xml:lang": "en"})
    _add(root, "id", name)
    _add(ET.SubElement(root, "author"), "name", AUTHOR)
    _add(root, "title", title)
    _add(root, "updated", max((entry.updated for entry in entries), default=NO_DATE))
    _add_link(root, "alternate", site)
    _add_link(root, "self", address)
    for entry in entries:
        element = ET.SubElement(root, "entry")
        for field in ("id", "title", "published", "updated"):
            _add(element, field, getattr(entry, field))
        _add_link(element, "alternate", site)
        _add(element, "content", entry.content, type="html")
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _add(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, name, attributes).text = text


def _add_link(parent: ET.Element, relation: str, address: str) -> None:
    if address:
        ET.SubElement(parent, "link", {"rel": relation, "href": address})


def _json(title: str, entries: Sequence[FeedEntry], site: str, address: str) -> bytes:
    content = {
        "version": JSON_FEED,
        "title": title,
        **({"home_page_url": site} if site else {}),
        **({"feed_url": address} if address else {}),
        "authors": [{"name": AUTHOR}],
        "items": [
            {
                "id": entry.id,
                **({"url": site} if site else {}),
                "title": entry.title,
                "content_html": entry.content,
                "date_published": entry.published,
                "date_modified": entry.updated,
            }
            for entry in entries
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"

"""Feeds of what changed: regressions and improvements, whole and per benchmark, and asv's regressions.xml."""

import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from windtunnel.detect.alert_format import Alert, AlertedCase, Alerts, AlertSubject
from windtunnel.detect.alert_text import format_change, format_level, is_actionable, title
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.asv_feed import regressions_xml
from windtunnel.detect.detected_events import Observation
from windtunnel.detect.feed_writer import NEVER, Feed, FeedEntry, atom, json_feed, newest
from windtunnel.detect.format import DetectedChanges, Direction
from windtunnel.model.identity import case_name
from windtunnel.text.escaping import visible

MOST_ENTRIES = 100
"""In a feed: readers keep what they have seen."""
MOST_ROWS = 50
FOLDER = "feeds"
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSource:
    """Whose feeds they are, and where they will be: *site* is a URL that ends with a slash, or ""."""

    project: str
    site: str = ""
    asv_pages: str = "asv/"
    """Where asv's own pages lie below the site; "" where there is nothing else."""


def build_feeds(changes: DetectedChanges, alerts: Alerts | None, publisher: FeedSource) -> Mapping[str, bytes]:
    """Return every feed by its path below the site; the same news give the same bytes.

    Without *alerts* ids are those of a first look at *changes*: they stay as long as the suspected commits do.
    """
    known = _first_look(changes) if alerts is None else alerts
    found: dict[str, bytes] = {"regressions.xml": regressions_xml(changes, publisher.project, publisher.asv_pages)}
    told = [alert for alert in known.alerts if alert.subject is not AlertSubject.HEALTH]
    for name, chosen in (
        ("regressions", [alert for alert in told if is_actionable(alert)]),
        ("improvements", [alert for alert in told if _is_good(alert)]),
        *((benchmark_feed(benchmark), of_it) for benchmark, of_it in _by_benchmark(told)),
    ):
        found |= _both(name, chosen, publisher)
    return found


def benchmark_feed(benchmark: str) -> str:
    """Return the name of the feed of *benchmark*, a path below the folder of feeds, without its ending."""
    digest = hashlib.sha256(benchmark.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"benchmarks/{UNSAFE.sub('_', benchmark)[:80].lstrip('.')}-{digest}"


def _first_look(changes: DetectedChanges) -> Alerts:
    dates = [event.date for event in (*changes.events, *changes.common_mode)]
    return update_alerts(Alerts(), Observation(changes=changes, when=max(dates, default="") or NEVER))


def _is_good(alert: Alert) -> bool:
    if alert.move is not None:
        return alert.move.direction is Direction.IMPROVED
    return any(member.direction is Direction.IMPROVED for member in alert.members)


def _by_benchmark(alerts: Iterable[Alert]) -> Iterator[tuple[str, list[Alert]]]:
    found: dict[str, list[Alert]] = {}
    for alert in alerts:
        for benchmark in dict.fromkeys(member.benchmark for member in alert.members):
            found.setdefault(benchmark, []).append(alert)
    yield from sorted(found.items())


def _both(name: str, alerts: Iterable[Alert], publisher: FeedSource) -> dict[str, bytes]:
    path = f"{FOLDER}/{name}"
    entries = newest([_entry(alert, publisher) for alert in alerts], MOST_ENTRIES)
    made = {}
    for ending, write in ((".atom", atom), (".json", json_feed)):
        feed = Feed(
            id=_tag(publisher, f"feed/{name}"),
            title=f"{visible(publisher.project, 80)}: {visible(name.partition('/')[2] or name)}",
            entries=entries,
            home=publisher.site,
            address=f"{publisher.site}{path}{ending}" if publisher.site else "",
        )
        made[path + ending] = write(feed)
    return made


def _tag(publisher: FeedSource, what: str) -> str:
    """Return an id that never changes (RFC 4151)."""
    return f"tag:{UNSAFE.sub('-', publisher.project) or 'project'}.windtunnel,2026:{what}"


def _entry(alert: Alert, publisher: FeedSource) -> FeedEntry:
    first, last = (alert.history[0].when, alert.history[-1].when) if alert.history else (NEVER, NEVER)
    published = (alert.where.date if alert.where else "") or first
    return FeedEntry(
        id=_tag(publisher, f"alert/{alert.id}"),
        title=f"{title(alert)} ({alert.state})",
        content="".join(_content(alert)),
        published=published,
        updated=max(published, last),
        link=publisher.site,
    )


def _content(alert: Alert) -> Iterator[str]:
    if alert.where is not None:
        after = html.escape(alert.where.previous_commit[:12])
        count = f", one of {alert.where.candidate_count} commits" if alert.where.candidate_count > 1 else ""
        yield f"<p>At {html.escape(alert.where.commit)}{count} after {after}.</p>"
    if alert.move is not None:
        yield f"<p>{alert.move.cases} of {alert.move.total} cases moved alike.</p>"
    if alert.members:
        yield "<table><tr><th>case</th><th>where</th><th>before</th><th>after</th><th>change</th></tr>"
        yield from map(_row, sorted(alert.members, key=lambda one: -abs(one.relative_change or 0))[:MOST_ROWS])
        yield "</table>"
        if len(alert.members) > MOST_ROWS:
            yield f"<p>… and {len(alert.members) - MOST_ROWS} more.</p>"


def _row(one: AlertedCase) -> str:
    cells = (
        case_name(one.benchmark, one.params),
        f"{one.environment} on {one.machine}",
        format_level(one.before, one.unit),
        format_level(one.after, one.unit),
        format_change(one.relative_change),
    )
    return f"<tr>{''.join(f'<td>{html.escape(visible(cell))}</td>' for cell in cells)}</tr>"

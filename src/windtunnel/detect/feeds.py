"""Builds the feeds of a project: regressions, improvements, one for each benchmark and each module, and asv's."""

import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from msgspec.structs import replace

from windtunnel.detect.alert_format import Alert, AlertedCase, Alerts, AlertSubject
from windtunnel.detect.alert_text import format_change, format_level, is_actionable, render_title
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.detected_events import Observation
from windtunnel.detect.event_scope import by_size
from windtunnel.detect.feed_writer import NO_DATE, Feed, FeedEntry, newest, write_atom, write_json
from windtunnel.detect.format import Change, ChangeKind, ChangeStatus, DetectedChanges, Direction
from windtunnel.model.identity import case_name
from windtunnel.text.escaping import visible

MAX_ENTRIES = 100
"""Entries of a feed; readers keep older ones."""
MAX_ROWS = 20
"""Cases in an entry, those with the largest changes."""
MAX_NAME = 40
"""Characters of the name of an environment or a machine in an entry; what is cut is in the middle."""
MAX_BENCHMARKS = 1000
"""Benchmarks that have a feed: those that changed last."""
MAX_MODULES = 200
"""Modules that have a feed: those that changed last."""
MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
"""Modules that have a feed; its file has the name of the module, so that the page can link it. Of names that differ in
case alone, one has a feed."""
FOLDER = "feeds"
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
"""Characters that file names and ids do not have."""
RESERVED = re.compile(r"(?:CON|PRN|AUX|NUL|COM\d|LPT\d)\.", re.IGNORECASE)
"""Beginnings of names that Windows refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSource:
    """Whose feeds they are, and where they are published."""

    project: str
    site: str = ""
    """The URL of the site, with a slash at its end; empty where it is not known."""
    asv_pages: str = "asv/"
    """The folder of asv's own pages below the site; empty where these are the site."""


def build_feeds(changes: DetectedChanges, alerts: Alerts | None, source: FeedSource) -> Mapping[str, bytes]:
    """Return the content of every feed by its path below the site; the same input gives the same bytes.

    Without *alerts*, the ids of entries are those that *changes* would get first; they may change when the suspected
    commits do.
    """
    known = _first_alerts(changes) if alerts is None else alerts
    shown = [alert for alert in known.alerts if alert.subject is not AlertSubject.HEALTH]
    feeds = {"regressions.xml": _regressions_xml(changes, source)}
    feeds |= _files("regressions", filter(is_actionable, shown), source)
    feeds |= _files("improvements", filter(_has_improvement, shown), source)
    for name, own in _grouped(shown, lambda case: (case.benchmark,), MAX_BENCHMARKS):
        feeds |= _files(benchmark_feed(name), own, source)
    modules = _one_case(_grouped(filter(is_actionable, shown), _modules, MAX_MODULES))
    for name, own in modules:
        feeds |= _files(f"modules/{name}", own, source)
    index = {"schema": "windtunnel.feeds/1", "modules": [name for name, _ in modules]}
    return feeds | {f"{FOLDER}/modules.json": json.dumps(index).encode()}


def _grouped(
    alerts: Iterable[Alert], keys: Callable[[AlertedCase], Iterable[str]], limit: int
) -> list[tuple[str, list[Alert]]]:
    """Return the alerts of each key of their cases, with those cases alone; of at most *limit* keys, the newest."""
    found: dict[str, list[Alert]] = {}
    for alert in alerts:
        cases: dict[str, list[AlertedCase]] = {}
        for case in alert.cases:
            for key in keys(case):
                cases.setdefault(key, []).append(case)
        for key, own in cases.items():
            found.setdefault(key, []).append(replace(alert, cases=tuple(own)))
    newest_first = sorted(found, key=lambda key: (max(map(_updated, found[key])), key), reverse=True)
    return [(key, found[key]) for key in sorted(newest_first[:limit])]


def _one_case(modules: Iterable[tuple[str, list[Alert]]]) -> list[tuple[str, list[Alert]]]:
    """Return one of the modules whose names differ in case alone: Windows and macOS have one file for them."""
    return list({name.casefold(): (name, own) for name, own in modules}.values())


def _updated(alert: Alert) -> str:
    return alert.history[-1].time if alert.history else ""


def _modules(case: AlertedCase) -> Iterator[str]:
    """Yield the modules around a benchmark that regressed, those alone whose name can be that of a file."""
    parts = case.benchmark.split(".")[:-1] if case.direction is Direction.REGRESSED else []
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        if MODULE.fullmatch(name) and not RESERVED.match(f"{name}."):
            yield name


def benchmark_feed(benchmark: str) -> str:
    """Return the path of the feed of *benchmark* below the folder of feeds, without its extension."""
    digest = hashlib.sha256(benchmark.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    name = UNSAFE.sub("_", benchmark)[:80].lstrip(".")
    return f"benchmarks/{'_' if RESERVED.match(name) else ''}{name}-{digest}"


def _first_alerts(changes: DetectedChanges) -> Alerts:
    dates = [event.date for event in (*changes.events, *changes.machine_shifts)]
    return update_alerts(Alerts(), Observation(changes=changes, time=max(dates, default="") or NO_DATE))


def _has_improvement(alert: Alert) -> bool:
    if alert.machine_shift is not None:
        return alert.machine_shift.direction is Direction.IMPROVED
    return any(case.direction is Direction.IMPROVED for case in alert.cases)


def _files(name: str, alerts: Iterable[Alert], source: FeedSource) -> dict[str, bytes]:
    """Return the Atom and the JSON file of a feed."""
    entries = newest([_entry(alert, source) for alert in alerts], MAX_ENTRIES)
    files = {}
    for extension, write in ((".atom", write_atom), (".json", write_json)):
        path = f"{FOLDER}/{name}{extension}"
        feed = Feed(
            id=_tag(source, f"feed/{name}"),
            title=f"{visible(source.project, 80)}: {visible(name.partition('/')[2] or name)}",
            entries=entries,
            home=source.site,
            address=f"{source.site}{path}" if source.site else "",
        )
        files[path] = write(feed)
    return files


def _tag(source: FeedSource, what: str) -> str:
    """Return an id that never changes, a tag URI (RFC 4151)."""
    return f"tag:{UNSAFE.sub('-', source.project) or 'project'}.windtunnel,2026:{what}"


def _entry(alert: Alert, source: FeedSource) -> FeedEntry:
    first, last = (alert.history[0].time, alert.history[-1].time) if alert.history else (NO_DATE, NO_DATE)
    published = (alert.location.date if alert.location else "") or first
    return FeedEntry(
        id=_tag(source, f"alert/{alert.id}"),
        title=f"{render_title(alert)} ({alert.state})",
        content="".join(_content(alert)),
        published=published,
        updated=max(published, last),
        link=source.site,
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


def _table(cases: Sequence[AlertedCase]) -> Iterator[str]:
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


def _regressions_xml(changes: DetectedChanges, source: FeedSource) -> bytes:
    """Return today's regressions as asv writes them: same place, same form, same ids, so readers show none twice."""
    name = f"{source.project} performance regressions"
    regressions = (
        change
        for change in changes.changes
        if change.direction is Direction.REGRESSED
        and change.status is ChangeStatus.CURRENT
        and change.kind is ChangeKind.STEP
    )
    feed = Feed(
        id=_asv_id(source.project, "", ("feed", "Airspeed Velocity", name)),
        title=f"{visible(source.project)} performance regressions",
        entries=newest([_asv_entry(change, source) for change in regressions], MAX_ENTRIES),
    )
    return write_atom(feed)


def _asv_id(project: str, date: str, parts: tuple[str, ...]) -> str:
    """Return the id that asv 0.6.6 gives to *parts* (asv.feed._get_id)."""
    digest = hashlib.sha256(b"github.com/spacetelescope/asv")
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b",")
    owner = quote(visible(project), safe=" ").replace(" ", "-")
    return f"tag:{owner}.asv,{date[:10] or NO_DATE[:10]}:/{digest.hexdigest()}"


def _asv_entry(change: Change, source: FeedSource) -> FeedEntry:
    name = case_name(change.benchmark, change.params)
    before = "" if change.candidate_count == 1 else change.previous_commit
    commits = f"{before}-{change.commit}" if before else change.commit
    relative = change.relative_change
    size = format_level(change.after, change.unit) if relative is None else f"{100 * relative:.2f}%"
    link = f"{source.asv_pages}index.html#{quote(visible(change.benchmark))}?commits={commits}"
    old, new = (html.escape(visible(format_level(value, change.unit))) for value in (change.before, change.after))
    where = f"{change.previous_commit[:8]}...{change.commit[:8]}" if before else change.commit[:8]
    content = (
        f'<a href="{html.escape(link)}">{html.escape(visible(size))} regression</a> on {change.date} '
        f"in {'commits' if before else 'commit'} {html.escape(where)}.<br>New value: {new}, old value: {old}."
    )
    return FeedEntry(
        id=_asv_id(source.project, change.date, ("entry", name, before, change.commit)),
        title=f"{visible(size)} {visible(name)}",
        content=content,
        published=change.date or NO_DATE,
        updated=change.date or NO_DATE,
        link=link,
    )

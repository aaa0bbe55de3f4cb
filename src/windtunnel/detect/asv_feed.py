"""``regressions.xml`` as asv writes it, for those who subscribed to asv's: same place, same form, same ids."""

import hashlib
import html
from urllib.parse import quote

from windtunnel.detect.alert_text import format_level
from windtunnel.detect.feed_writer import NEVER, Feed, FeedEntry, atom, newest
from windtunnel.detect.format import Change, ChangeKind, ChangeStatus, DetectedChanges, Direction
from windtunnel.model.identity import case_name
from windtunnel.text.escaping import visible

MOST_ENTRIES = 500


def regressions_xml(changes: DetectedChanges, project: str, pages: str = "") -> bytes:
    """Return today's regressions, one entry for each case; links lead to asv's own *pages* ("" or "asv/").

    Where asv places a regression at the same commits its entry has the same id, so no reader shows it twice.
    """
    entries = [_entry(change, project, pages) for change in changes.changes if _is_told(change)]
    title = f"{visible(project)} performance regressions"
    feed = Feed(
        id=asv_id(project, "", ("feed", "Airspeed Velocity", f"{project} performance regressions")),
        title=title,
        entries=newest(entries, MOST_ENTRIES),
    )
    return atom(feed)


def asv_id(project: str, date: str, parts: tuple[str, ...]) -> str:
    """Return the id that asv 0.6.6 makes of *parts* (asv.feed._get_id)."""
    digest = hashlib.sha256(b"github.com/spacetelescope/asv")
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b",")
    return (
        f"tag:{quote(visible(project), safe=' ').replace(' ', '-')}.asv,{date[:10] or NEVER[:10]}:/{digest.hexdigest()}"
    )


def _is_told(change: Change) -> bool:
    return (change.direction, change.status, change.kind) == (
        Direction.REGRESSED,
        ChangeStatus.CURRENT,
        ChangeKind.STEP,
    )


def _entry(change: Change, project: str, pages: str) -> FeedEntry:
    name = case_name(change.benchmark, change.params)
    before = "" if change.candidate_count == 1 else change.previous_commit
    commits = f"{before}-{change.commit}" if before else change.commit
    relative = change.relative_change
    percentage = f"{format_level(change.after, change.unit)}" if relative is None else f"{100 * relative:.2f}%"
    link = f"{pages}index.html#{quote(visible(change.benchmark))}?commits={commits}"
    old, new = (html.escape(visible(format_level(value, change.unit))) for value in (change.before, change.after))
    where = f"{change.previous_commit[:8]}...{change.commit[:8]}" if before else change.commit[:8]
    content = (
        f'<a href="{html.escape(link)}">{html.escape(visible(percentage))} regression</a> on {change.date} '
        f"in {'commits' if before else 'commit'} {html.escape(where)}.<br>New value: {new}, old value: {old}."
    )
    return FeedEntry(
        id=asv_id(project, change.date, ("entry", name, before, change.commit)),
        title=f"{visible(percentage)} {visible(name)}",
        content=content,
        published=change.date or NEVER,
        updated=change.date or NEVER,
        link=link,
    )

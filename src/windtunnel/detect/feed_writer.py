"""Atom (RFC 4287) and JSON Feed 1.1 from the same entries.

Written with the standard library, as asv does: the one library that is kept up (feedgen) needs lxml and stamps feeds
with the time of writing, so that the same news would never give the same bytes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

NAMESPACE = "http://www.w3.org/2005/Atom"
JSON_FEED = "https://jsonfeed.org/version/1.1"
NEVER = "1970-01-01T00:00:00Z"
"""The date of a feed without entries: it must have one."""
AUTHOR = "Windtunnel"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One piece of news; *content* is HTML, dates are UTC (ISO 8601), *link* "" where there is none."""

    id: str
    title: str
    content: str
    published: str
    updated: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """News, the newest first; *address* is where the feed itself will be, "" where nobody knows."""

    id: str
    title: str
    entries: tuple[FeedEntry, ...]
    home: str = ""
    address: str = ""
    author: str = AUTHOR


def atom(feed: Feed) -> bytes:
    """Return *feed* as Atom; the same entries give the same bytes."""
    root = ET.Element("feed", {"xmlns": NAMESPACE, "xml:lang": "en"})
    _add(root, "id", feed.id)
    _add(ET.SubElement(root, "author"), "name", feed.author)
    _add(root, "title", feed.title)
    _add(root, "updated", max((entry.updated for entry in feed.entries), default=NEVER))
    if feed.home:
        ET.SubElement(root, "link", {"rel": "alternate", "href": feed.home})
    if feed.address:
        ET.SubElement(root, "link", {"rel": "self", "href": feed.address})
    for entry in feed.entries:
        _add_entry(root, entry)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def json_feed(feed: Feed) -> bytes:
    """Return *feed* as JSON Feed 1.1."""
    addresses = {"home_page_url": feed.home, "feed_url": feed.address}
    content = {
        "version": JSON_FEED,
        "title": feed.title,
        **{key: value for key, value in addresses.items() if value},
        "authors": [{"name": feed.author}],
        "items": [_item(entry) for entry in feed.entries],
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"


def newest(entries: Sequence[FeedEntry], most: int) -> tuple[FeedEntry, ...]:
    """Return the *most* newest of *entries*, the newest first."""
    return tuple(sorted(entries, key=lambda entry: (entry.updated, entry.id), reverse=True)[:most])


def _add(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, name, attributes).text = text


def _add_entry(root: ET.Element, entry: FeedEntry) -> None:
    element = ET.SubElement(root, "entry")
    _add(element, "id", entry.id)
    _add(element, "title", entry.title)
    _add(element, "published", entry.published)
    _add(element, "updated", entry.updated)
    if entry.link:
        ET.SubElement(element, "link", {"rel": "alternate", "href": entry.link})
    _add(element, "content", entry.content, type="html")


def _item(entry: FeedEntry) -> dict[str, str]:
    link = {"url": entry.link} if entry.link else {}
    return {
        "id": entry.id,
        **link,
        "title": entry.title,
        "content_html": entry.content,
        "date_published": entry.published,
        "date_modified": entry.updated,
    }

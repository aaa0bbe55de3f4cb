"""Writes entries as Atom (RFC 4287) and as JSON Feed 1.1.

The standard library is enough. The maintained library for this, feedgen, needs lxml and writes the current time into
each feed, so that the same entries would give different bytes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

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
    link: str = ""
    """The page that the entry is about; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed."""

    id: str
    """A URI that never changes."""
    title: str
    entries: tuple[FeedEntry, ...]
    """The entries, newest first."""
    home: str = ""
    """The address of the site; empty where it is not known."""
    address: str = ""
    """The address of the feed; empty where it is not known."""


def write_atom(feed: Feed) -> bytes:
    """Return *feed* as Atom; the same entries give the same bytes."""
    root = ET.Element("feed", {"xmlns": ATOM, "xml:lang": "en"})
    _add(root, "id", feed.id)
    _add(ET.SubElement(root, "author"), "name", AUTHOR)
    _add(root, "title", feed.title)
    _add(root, "updated", max((entry.updated for entry in feed.entries), default=NO_DATE))
    _add_link(root, "alternate", feed.home)
    _add_link(root, "self", feed.address)
    for entry in feed.entries:
        element = ET.SubElement(root, "entry")
        for name in ("id", "title", "published", "updated"):
            _add(element, name, getattr(entry, name))
        _add_link(element, "alternate", entry.link)
        _add(element, "content", entry.content, type="html")
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def write_json(feed: Feed) -> bytes:
    """Return *feed* as JSON Feed 1.1; the same entries give the same bytes."""
    content = {
        "version": JSON_FEED,
        "title": feed.title,
        **({"home_page_url": feed.home} if feed.home else {}),
        **({"feed_url": feed.address} if feed.address else {}),
        "authors": [{"name": AUTHOR}],
        "items": [_item(entry) for entry in feed.entries],
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"


def newest(entries: Sequence[FeedEntry], count: int) -> tuple[FeedEntry, ...]:
    """Return the *count* newest of *entries*, the newest first."""
    return tuple(sorted(entries, key=lambda entry: (entry.updated, entry.id), reverse=True)[:count])


def _add(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, name, attributes).text = text


def _add_link(parent: ET.Element, relation: str, address: str) -> None:
    if address:
        ET.SubElement(parent, "link", {"rel": relation, "href": address})


def _item(entry: FeedEntry) -> dict[str, str]:
    return {
        "id": entry.id,
        **({"url": entry.link} if entry.link else {}),
        "title": entry.title,
        "content_html": entry.content,
        "date_published": entry.published,
        "date_modified": entry.updated,
    }

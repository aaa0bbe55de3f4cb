"""What people know of a history: the events of events.toml, at the commits where charts show them."""

import datetime as dt
import tomllib
from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.errors import ConfigurationError
from windtunnel.formats import convert
from windtunnel.model.build_change import normal_name
from windtunnel.model.run_format import RunRecord
from windtunnel.publish.format.changes import RunMark
from windtunnel.publish.format.site import Release
from windtunnel.publish.site_index import SiteCommit
from windtunnel.text.escaping import visible

MAX_SIZE = 1_000_000
"""Bytes of the file."""
MIN_DIGITS = 7
"""Digits of a commit's hash."""


class Annotation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event of the file: one of *date*, *commit* and *version* says where it is."""

    date: dt.date | None = None
    """It is at the first commit of this day or later."""
    commit: str = ""
    """It is at this commit: at least seven digits of its hash."""
    version: str = ""
    """It is at the first run with this version of *library*, or without one at this release of the project."""
    library: Annotated[str, Meta(max_length=100)] = ""
    """The package that it is about; empty for the project."""
    text: Annotated[str, Meta(min_length=1, max_length=160)]
    """What happened, in a sentence."""
    link: Annotated[str, Meta(max_length=500)] = ""
    """A page that explains it."""

    def __post_init__(self) -> None:
        """Check the place and the link; raises ValueError."""
        if sum(map(bool, (self.date, self.commit, self.version))) != 1:
            raise ValueError("an event needs one of 'date', 'commit' and 'version'")
        if self.commit and (len(self.commit) < MIN_DIGITS or not set(self.commit) <= set("0123456789abcdef")):
            raise ValueError(f"'commit' is {self.commit[:80]!r}, not seven digits of a hash or more")
        if self.link and not self.link.startswith(("https://", "http://")):
            raise ValueError(f"'link' is {self.link[:80]!r}, not a web address")


class _Annotations(Struct, frozen=True, forbid_unknown_fields=True):
    event: Annotated[tuple[Annotation, ...], Meta(max_length=500)] = ()


def parse_annotations(content: bytes, source: str) -> tuple[Annotation, ...]:
    """Return the events in the file *source*; raises ConfigurationError, naming it and the key."""
    if len(content) > MAX_SIZE:
        raise ConfigurationError(f"{source} has more than {MAX_SIZE} bytes; keep the events that charts need")
    try:
        table = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{source} is not TOML: {error}; correct it and try again") from None
    return convert(table, _Annotations, source, "").event


def place_annotations(
    annotations: Iterable[Annotation],
    commits: Sequence[SiteCommit],
    releases: Sequence[Release],
    records: Iterable[RunRecord],
) -> tuple[tuple[RunMark, ...], tuple[str, ...]]:
    """Return a mark for each annotation, oldest first, and a note for each that has no place in this history."""
    order = {each.hash: index for index, each in enumerate(commits)}
    first: dict[tuple[str, str], int] = {}
    for task in (task for record in records for task in record.tasks if task.build and task.commit in order):
        for name, _, version in (each.partition("==") for each in (task.build.packages if task.build else ())):
            key, at = (normal_name(name), version), order[task.commit]
            first[key] = min(at, first.get(key, at))
    tags = {each.name: each.commit for each in releases}
    marks, notes = list[RunMark](), list[str]()
    for each in annotations:
        place = _place(each, commits, tags, first)
        about = " ".join(filter(None, (each.library, each.version)))
        label = visible(f"{about}: {each.text}" if about else each.text, 300)
        if place is None:
            notes.append(f"An event has no place in this history: {label}")
        else:
            marks.append(RunMark(commit=place, kind="event", label=label, url=each.link))
    return tuple(sorted(marks, key=lambda mark: mark.commit)), tuple(notes)


def _place(
    each: Annotation, commits: Sequence[SiteCommit], tags: dict[str, int], first: dict[tuple[str, str], int]
) -> int | None:
    if each.commit:
        return next((index for index, one in enumerate(commits) if one.hash.startswith(each.commit)), None)
    if each.date:
        day = dt.datetime.combine(each.date, dt.time(), dt.UTC).timestamp()
        return next((index for index, one in enumerate(commits) if one.date >= day), None)
    if each.library:
        return first.get((normal_name(each.library), each.version))
    return tags.get(each.version, tags.get(f"v{each.version}"))

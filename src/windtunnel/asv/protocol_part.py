"""How the supervisor and the engine talk: requests on stdin, events on stdout, a line each.

The end of its stdin tells the engine that nobody waits for it any more.
"""

from dataclasses import dataclass
from types import UnionType
from typing import cast, get_args

import msgspec

from windtunnel import formats
from windtunnel.asv.protocol import Event
from windtunnel.asv.requests import Request
from windtunnel.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    type: str
    body: msgspec.Raw


def to_line(message: Request | Event) -> bytes:
    """Return *message* as one line."""
    body = msgspec.Raw(formats.encode(message))
    return formats.encode(_Line(type=type(message).__name__, body=body)) + b"\n"


def request_from(line: bytes) -> Request:
    """Return the request that *line* holds; raises DataError."""
    return cast("Request", _from_line(line, Request))


def event_from(line: bytes) -> Event:
    """Return the event that *line* holds; raises DataError."""
    return cast("Event", _from_line(line, Event))


def _from_line(line: bytes, union: UnionType) -> object:
    by_name = {cls.__name__: cls for cls in get_args(union)}
    parsed = formats.decode(line, _Line, "message of the engine")
    if parsed.type not in by_name:
        raise DataError(f"message of the engine has the unknown type {parsed.type!r}")
    return formats.decode(bytes(parsed.body), by_name[parsed.type], parsed.type)

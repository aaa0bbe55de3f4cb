"""A request as a value: what is asked, and the type of the reply."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Self, TypeVar

from windtunnel import formats
from windtunnel.errors import UsageError

T = TypeVar("T")

MOST_A_PAGE = 100
"""Entries; GitHub gives 30 unless asked, and never more (docs.github.com, Using pagination in the REST API)."""

SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""What the names of owners and repositories are made of."""


class Method(StrEnum):
    """The HTTP methods in use."""

    GET = "GET"
    POST = "POST"
    PATCH = "PATCH"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryName:
    """A repository on the forge."""

    owner: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return what ``owner/name`` names; raises UsageError."""
        owner, slash, name = text.partition("/")
        if not (slash and SEGMENT.fullmatch(owner) and SEGMENT.fullmatch(name)) or {owner, name} & {".", ".."}:
            raise UsageError(f"{text[:100]!r} is no repository; write owner/name, as in $GITHUB_REPOSITORY")
        return cls(owner=owner, name=name)

    def __str__(self) -> str:
        """Return ``owner/name``."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """One request; *path* is an RFC 6570 template below the interface's root, filled with *values*.

    *repeatable*: sent twice it leaves what it leaves when sent once, so a lost answer is no reason to stop.
    """

    method: Method
    path: str
    reply: type[T]
    values: tuple[tuple[str, str | int], ...] = ()
    body: bytes = b""
    repeatable: bool = True


def get(path: str, reply: type[T], **values: str | int) -> Request[T]:
    """Return a request to read."""
    return Request(method=Method.GET, path=path, reply=reply, values=tuple(values.items()))


def create(path: str, reply: type[T], body: object, **values: str | int) -> Request[T]:
    """Return a request that makes a new thing each time it is carried out."""
    return Request(
        method=Method.POST,
        path=path,
        reply=reply,
        values=tuple(values.items()),
        body=formats.encode(body),
        repeatable=False,
    )


def change(path: str, reply: type[T], body: object, **values: str | int) -> Request[T]:
    """Return a request that sets what is there to a state."""
    return Request(method=Method.PATCH, path=path, reply=reply, values=tuple(values.items()), body=formats.encode(body))


def delete(path: str, **values: str | int) -> Request[None]:
    """Return a request to remove a thing."""
    return Request(method=Method.DELETE, path=path, reply=type(None), values=tuple(values.items()))

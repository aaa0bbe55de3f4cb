"""The words of the contract: texts, indices, intervals; commits, places and benchmarks are meant by their index."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

Index = Annotated[int, Meta(ge=0)]
Text = Annotated[str, Meta(description="plain text, never markup")]
Limits = Annotated[tuple[float, float], Meta(description="low and high limit of the interval")]
CommitIndex = Annotated[int, Meta(ge=0, description="index of a commit, oldest first")]
PlaceIndex = Annotated[int, Meta(ge=0, description="index into the places of site.json")]
File = Annotated[str, Meta(description="path of a file from the top of the site")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What was measured."""

    name: Text
    url: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLine:
    """A commit with results. Subject and date are null where the publishing clone does not have the commit."""

    hash: Text
    subject: Text | None
    date: Annotated[int | None, Meta(description="author date, seconds since 1970")]
    url: Text | None

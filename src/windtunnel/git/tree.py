"""A git tree as the remote sent it, read entry by entry: its names are anyone's, and prove nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha1
from typing import NewType

from windtunnel.errors import DataError

ObjectHash = NewType("ObjectHash", str)
"""Names an object of a repository by its content."""


class Kind(StrEnum):
    """What an entry of a tree is, by its mode."""

    FILE = "file"
    FOLDER = "folder"
    SYMBOLIC_LINK = "symbolic link"
    SUBMODULE = "submodule"
    UNKNOWN = "unknown"


MODES = {
    b"100644": Kind.FILE,
    b"100664": Kind.FILE,  # written by early versions of git
    b"100755": Kind.FILE,
    b"40000": Kind.FOLDER,
    b"120000": Kind.SYMBOLIC_LINK,
    b"160000": Kind.SUBMODULE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name in a tree."""

    name: bytes
    kind: Kind
    object: ObjectHash


def entries(tree: bytes) -> Iterator[Entry]:
    """Read the entries of a tree object: mode, space, name, NUL, 20 bytes of hash, again and again."""
    at = 0
    while at < len(tree):
        space = tree.find(b" ", at)
        end = tree.find(b"\0", at)
        if not at < space < end or end + 21 > len(tree):
            raise DataError("a folder of the branch is no git tree; the remote is broken: run git fsck there")
        yield Entry(
            name=tree[space + 1 : end],
            kind=MODES.get(tree[at:space], Kind.UNKNOWN),
            object=ObjectHash(tree[end + 1 : end + 21].hex()),
        )
        at = end + 21


def blob_hash(content: bytes) -> ObjectHash:
    """Return the name that git gives to a file's *content*."""
    return ObjectHash(sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest())

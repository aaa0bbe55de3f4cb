"""Git objects: commits as ``git fast-import`` reads them, and trees as a remote sends them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha1
from typing import NewType

from windtunnel.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of one file of a branch."""

    path: str
    """From the root."""
    content: bytes | None
    """The new content; None removes the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The metadata of a commit."""

    author: str
    """``Name <e-mail>``."""
    message: str
    """The commit message."""
    time: int
    """Seconds since 1970, UTC."""


def commit_stream(reference: str, base: str | None, edits: Iterable[Edit], signature: Signature) -> bytes:
    """Return the stream that commits *edits* on top of *base* (None: no parent) and moves *reference* to it."""
    return b"".join(_stream(reference, base, edits, signature))


def root_stream(reference: str, tree: str, signature: Signature) -> bytes:
    """Return the stream that commits *tree* without parents and moves *reference* to it."""
    head = [*_head(reference, signature), f'M 040000 {tree} ""\ndone\n'.encode()]
    return b"".join(head)


def _stream(reference: str, base: str | None, edits: Iterable[Edit], signature: Signature) -> Iterator[bytes]:
    yield from _head(reference, signature)
    if base is not None:
        yield f"from {base}\n".encode()
    for edit in edits:
        if edit.content is None:
            yield b"D " + quote_path(edit.path) + b"\n"
        else:
            yield b"M 100644 inline " + quote_path(edit.path) + b"\n"
            yield _data(edit.content)
    yield b"done\n"


def _head(reference: str, signature: Signature) -> Iterator[bytes]:
    yield f"feature done\nreset {reference}\ncommit {reference}\n".encode()
    yield _text(f"committer {signature.author} {signature.time} +0000\n")
    yield _data(_text(signature.message))


def quote_path(path: str) -> bytes:
    """Return *path* in git's quoting, so that no name is parsed as a command."""
    plain = _text(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + plain + b'"'


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


ObjectHash = NewType("ObjectHash", str)
"""The hash that git computes from the content of an object."""


class ObjectKind(StrEnum):
    """The kind of a tree entry, by its mode."""

    FILE = "file"
    FOLDER = "folder"
    SYMBOLIC_LINK = "symbolic link"
    SUBMODULE = "submodule"
    UNKNOWN = "unknown"


MODES = {
    b"100644": ObjectKind.FILE,
    b"100664": ObjectKind.FILE,  # written by early versions of git
    b"100755": ObjectKind.FILE,
    b"40000": ObjectKind.FOLDER,
    b"120000": ObjectKind.SYMBOLIC_LINK,
    b"160000": ObjectKind.SUBMODULE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One entry of a tree object."""

    name: bytes
    """The file name, unchecked."""
    kind: ObjectKind
    """The kind, by its mode."""
    object: ObjectHash
    """The content."""


def parse_tree(tree: bytes) -> Iterator[TreeEntry]:
    """Yield the entries of a tree object; each is mode, space, name, NUL and 20 bytes of hash."""
    at = 0
    while at < len(tree):
        space = tree.find(b" ", at)
        end = tree.find(b"\0", at)
        if not at < space < end or end + 21 > len(tree):
            raise DataError("a folder of the branch is not a git tree; the remote is broken: run git fsck there")
        yield TreeEntry(
            name=tree[space + 1 : end],
            kind=MODES.get(tree[at:space], ObjectKind.UNKNOWN),
            object=ObjectHash(tree[end + 1 : end + 21].hex()),
        )
        at = end + 21


def blob_hash(content: bytes) -> ObjectHash:
    """Return the hash that git gives to a file with *content*."""
    return ObjectHash(sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest())

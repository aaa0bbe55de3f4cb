"""Git objects: commits as ``git fast-import`` reads them, and trees as a remote sends them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha1
from typing import NewType

from windtunnel.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The new content of a file of the branch; ``None`` removes it."""

    path: str
    content: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who commits, what, and when (seconds since 1970, UTC)."""

    author: str
    message: str
    time: int


def commit_stream(reference: str, base: str | None, edits: Iterable[Edit], signature: Signature) -> bytes:
    """Return the stream that puts a commit with *edits* upon *base* (``None``: upon nothing) at *reference*."""
    return b"".join(_stream(reference, base, edits, signature))


def root_stream(reference: str, tree: str, signature: Signature) -> bytes:
    """Return the stream that puts a commit without parents, whose content is *tree*, at *reference*."""
    head = [*_head(reference, signature), f'M 040000 {tree} ""\ndone\n'.encode()]
    return b"".join(head)


def _stream(reference: str, base: str | None, edits: Iterable[Edit], signature: Signature) -> Iterator[bytes]:
    yield from _head(reference, signature)
    if base is not None:
        yield f"from {base}\n".encode()
    for edit in edits:
        if edit.content is None:
            yield b"D " + quoted(edit.path) + b"\n"
        else:
            yield b"M 100644 inline " + quoted(edit.path) + b"\n"
            yield _data(edit.content)
    yield b"done\n"


def _head(reference: str, signature: Signature) -> Iterator[bytes]:
    yield f"feature done\nreset {reference}\ncommit {reference}\n".encode()
    yield _text(f"committer {signature.author} {signature.time} +0000\n")
    yield _data(_text(signature.message))


def quoted(path: str) -> bytes:
    """Return *path* as git quotes it, so that no name can be read as a command."""
    plain = _text(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + plain + b'"'


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


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

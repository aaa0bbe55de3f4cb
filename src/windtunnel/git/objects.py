"""A commit as ``git fast-import`` reads it: one process writes any number of files, without an index or a work tree."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


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

"""The files in the folder ``records/`` of a results tree: run records, and the values of claims measured in blocks.

A run record never changes. A file of claims grows with each block that is measured, so of two files with one name the
one that ended later has everything that the other has.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from windtunnel import formats
from windtunnel.errors import DataError
from windtunnel.formats import Format

RECORDS = "records"
"""The folder of the records, beside those of the machines."""

SUFFIX = ".record"
"""The end of their names, though they are JSON: asv warns of ``.json`` files in a folder without a machine."""

CLAIM_FILE = re.compile(r"claims-[0-9a-f]{16}\.record")
"""The name of a file of claims."""

T = TypeVar("T")


class _Ended(Struct, frozen=True):
    """When a record ended: of two files, the newer is kept."""

    ended: float


def claim_file(results: Path, *identity: str) -> Path:
    """Return the path of the file of claims with this *identity* in the folder *results*."""
    return results / RECORDS / f"claims-{_digest(chr(0).join(identity).encode())}{SUFFIX}"


def record_name(name: str, content: bytes) -> str:
    """Return the name under which the record *content* of a file *name* is kept: of a run record, made from it."""
    return name if CLAIM_FILE.fullmatch(name) else f"{_digest(content)}{SUFFIX}"


def newest(contents: Iterable[bytes]) -> bytes:
    """Return the one of *contents*, files of claims with one name, that ended last; a broken one ended first."""
    return max(contents, key=lambda content: (_ended(content), content))


def read_record_files(paths: Iterable[Path], form: Format[T], kind: str) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """Return the values in the files *paths*, and a message for each that cannot be read; *kind* says what it is."""
    found, problems = [], []
    for path in paths:
        try:
            found.append(form.decode(path.read_bytes(), f"{RECORDS}/{path.name}"))
        except (DataError, OSError) as error:
            problems.append(f"{kind} could not be read: {error}")
    return tuple(found), tuple(problems)


def read_claim_files(results: Path, form: Format[T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """Return the values of claims in the folder *results*, and a message for each file that cannot be read."""
    return read_record_files(record_paths(results, claims=True), form, "a file of claims")


def record_paths(results: Path, *, claims: bool) -> tuple[Path, ...]:
    """Return the files of claims in the folder *results*, or the run records."""
    paths = sorted((results / RECORDS).glob(f"*{SUFFIX}"))
    return tuple(path for path in paths if bool(CLAIM_FILE.fullmatch(path.name)) is claims)


def _ended(content: bytes) -> float:
    try:
        return formats.decode(content, _Ended, "record").ended
    except DataError:
        return float("-inf")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]

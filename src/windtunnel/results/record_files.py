"""The files in the folder ``records/`` of a results tree: run records, values of claims, and reach maps.

A run record never changes. A file of claims grows with each block that is measured, so of two files with one name the
one that ended later has everything that the other has. Reach maps of one commit and environment are joined, and those
of the newest commits are kept.
"""

import contextlib
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from windtunnel import formats
from windtunnel.errors import DataError
from windtunnel.formats import Format
from windtunnel.model.reach_map import KEPT_FORMAT, MAX_MAP_BYTES, KeptMap, join_maps

RECORDS = "records"
"""The folder of the records, beside those of the machines."""

SUFFIX = ".record"
"""The end of their names, though they are JSON: asv warns of ``.json`` files in a folder without a machine."""

CLAIMS, MAPS = "claims", "reach"
"""How the names of files begin whose content changes."""

CHANGING = re.compile(rf"({CLAIMS})-[0-9a-f]{{16}}\.record|({MAPS})-[0-9a-f]{{16}}-[0-9]{{12}}-[0-9a-f]{{16}}\.record")
"""The name of such a file; that of a map has the environment, the date and the commit."""

MAX_MAPS = 10
"""Reach maps of each environment that a results branch keeps, those of the newest commits."""

T = TypeVar("T")


class _Ended(Struct, frozen=True):
    """When a record ended: of two files, the newer is kept."""

    ended: float


def claim_file(results: Path, *identity: str) -> Path:
    """Return the path of the file of claims with this *identity* in the folder *results*."""
    return results / RECORDS / f"{CLAIMS}-{_digest(chr(0).join(identity).encode())}{SUFFIX}"


def map_file(results: Path, kept: KeptMap) -> Path:
    """Return the path of the reach map *kept* in the folder *results*."""
    environment, date = _digest(kept.environment.encode()), max(kept.date, 0)
    return results / RECORDS / f"{MAPS}-{environment}-{date:012d}-{kept.commit[:16]}{SUFFIX}"


def old_maps(names: Iterable[str]) -> frozenset[str]:
    """Return those of *names* that are reach maps and not of the newest commits of their environment."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        if _kind(name) == MAPS:
            found[name.split("-")[1]].append(name)
    return frozenset(name for each in found.values() for name in each[:-MAX_MAPS])


def record_name(name: str, content: bytes) -> str:
    """Return the name under which the record *content* of a file *name* is kept: of a run record, made from it."""
    return name if CHANGING.fullmatch(name) else f"{_digest(content)}{SUFFIX}"


def join(name: str, one: bytes, other: bytes) -> bytes:
    """Return the content to keep of two files with this *name*: of claims that which ended last, of maps both joined.

    A broken file counts as older. The order of the two does not matter.
    """
    if not name.startswith(MAPS):
        return max(one, other, key=lambda content: (_ended(content), content))
    found = [kept for content in (one, other) if (kept := _map(content))]
    if len(found) < 2:
        return KEPT_FORMAT.encode(found[0]) if found else max(one, other)
    joined = KEPT_FORMAT.encode(join_maps(*found))
    return joined if len(joined) <= MAX_MAP_BYTES else max(one, other)


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
    return read_record_files(record_paths(results, CLAIMS), form, "a file of claims")


def read_maps(results: Path) -> tuple[tuple[KeptMap, ...], tuple[str, ...]]:
    """Return the reach maps in the folder *results*, and a message for each file that cannot be read."""
    paths = record_paths(results, MAPS)
    small = [path for path in paths if path.stat().st_size <= MAX_MAP_BYTES]
    found, problems = read_record_files(small, KEPT_FORMAT, "a reach map")
    return found, (*problems, *(f"{path} is too large for a reach map" for path in paths if path not in small))


def record_paths(results: Path, kind: str = "") -> tuple[Path, ...]:
    """Return the files of this *kind* in the folder *results*; by default the run records."""
    paths = sorted((results / RECORDS).glob(f"*{SUFFIX}"))
    return tuple(path for path in paths if _kind(path.name) == kind)


def _kind(name: str) -> str:
    return name.partition("-")[0] if CHANGING.fullmatch(name) else ""


def _map(content: bytes) -> KeptMap | None:
    with contextlib.suppress(DataError):
        return KEPT_FORMAT.decode(content, "reach map") if len(content) <= MAX_MAP_BYTES else None
    return None


def _ended(content: bytes) -> float:
    try:
        return formats.decode(content, _Ended, "record").ended
    except DataError:
        return float("-inf")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]

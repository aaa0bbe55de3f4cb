"""Names of folders and files in a results tree, as asv creates them; safe for any name in a file."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

from windtunnel.model.identity import EnvironmentName, Fields, MachineName
from windtunnel.model.run import RunKey

MAX_ENVIRONMENT_NAME = 128
"""Characters from which asv replaces the name by its hash."""

MAX_NAME_BYTES = 180
"""Leaves room for a hash, a suffix and a temporary suffix within the 255 bytes of most file systems."""

SHORT_HASH = 8

_UNSAFE = re.compile(r'[<>:"/\\^|?*\x00-\x1f\x7f]')
_TAKEN = re.compile(r"(?:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9])(?:\..*)?|git~1|records", re.IGNORECASE)
"""Names that are reserved by Windows, git or Windtunnel."""


def environment_name(python: str, requirements: Fields) -> EnvironmentName:
    """Return asv's name of an environment, for files that do not hold it."""
    parts = [f"py{python}", *(requirement.name + _version(requirement.text) for requirement in requirements)]
    return EnvironmentName(_UNSAFE.sub("_", "-".join(parts)))


def machine_folder(machine: MachineName) -> str:
    """Return the folder of *machine*: its name, or a hash when a folder cannot have that name."""
    return machine if _is_safe(machine) else f"machine-{_digest(machine)}"


def run_files(keys: Sequence[RunKey]) -> tuple[str, ...]:
    """Return the path of every run in its tree, with ``/``; commits that share eight digits have their full hash."""
    uses = Counter(_run_file(key, SHORT_HASH) for key in keys)
    return tuple(_run_file(key, SHORT_HASH if uses[_run_file(key, SHORT_HASH)] == 1 else None) for key in keys)


def long_run_file(key: RunKey) -> str:
    """Return the path of a run with its full hash."""
    return _run_file(key, None)


def _run_file(key: RunKey, digits: int | None) -> str:
    return f"{machine_folder(key.machine)}/{key.commit[:digits]}-{environment_part(key.environment)}.json"


def environment_part(name: str) -> str:
    """Return what stands for an environment in a path: its name, or a hash when a path cannot have that name."""
    if len(name) >= MAX_ENVIRONMENT_NAME or not _is_safe(name):
        return f"env-{_digest(name)}"
    return name


def _is_safe(name: str) -> bool:
    return (
        name == _safe(name)
        and not name.startswith(".")
        and not name.endswith((".", " ", ".json"))
        and not _TAKEN.fullmatch(name)
        and name.isprintable()
        and len(name.encode()) <= MAX_NAME_BYTES
    )


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name)


def _digest(name: str) -> str:
    return hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()


def _version(text: str) -> str:
    return "" if text == "null" else text

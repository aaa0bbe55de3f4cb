"""What lies where on a results branch and in a results folder: asv's own layout, and two places of ours beside it.

    benchmarks.json                 asv: what was timed
    <machine>/machine.json          asv: on what
    <machine>/<commit[:8]>-….json   asv: with what result
    alerts.json                     Windtunnel: what was said of the results; the branch's copy is the master
    records/<anything>.json         Windtunnel: how runs went; written once, never merged

Whatever else there is stays as it is and is never carried from one side to the other.
"""

from windtunnel.results.tree import BENCHMARKS, MACHINE, RECORDS

ALERTS = "alerts.json"

LARGEST_FILE = 64 * 2**20
"""Bytes; the largest file of the public histories we know has 8 MB."""

LONGEST_NAME = 245
"""Bytes; file systems take 255, and a file that is being written has a name of ten more."""


def name_trouble(name: bytes) -> str | None:
    """Say why a file or folder must not be called *name*, if it must not: it could land elsewhere, or deceive."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return "whose name is not UTF-8"
    if text in {"", ".", ".."} or text.lower().rstrip(". ") in {".git", "git~1"}:
        return "a name that file systems or git give a meaning of its own"
    if "/" in text or "\\" in text or not text.isprintable() or len(name) > LONGEST_NAME:
        return "which is no plain file name"
    return None


def is_ours(path: str) -> bool:
    """Tell whether the file at *path* (relative, POSIX) belongs to the results."""
    *folders, name = path.split("/")
    if not folders:
        return name in {BENCHMARKS, ALERTS}
    hidden = any(part.startswith(".") for part in (*folders, name))
    return name.endswith(".json") and name != BENCHMARKS and not hidden


def is_run(path: str) -> bool:
    """Tell whether the file at *path* is asv's file of one run, by its place."""
    folder, _, name = path.rpartition("/")
    return is_ours(path) and folder not in {"", RECORDS} and name != MACHINE


def proves_results(path: str) -> bool:
    """Tell whether a branch that holds *path* is one of results, and not somebody's sources."""
    folder, _, name = path.rpartition("/")
    return name == MACHINE or folder == RECORDS or (not folder and is_ours(path))


def family(path: str) -> str:
    """Return what all files share that may have to be merged with the one at *path*.

    Runs of one commit may be filed under its first 8 digits or all 40, and two commits may share the 8.
    """
    folder, _, name = path.rpartition("/")
    alone = not folder or name == MACHINE or folder == RECORDS
    return path if alone else f"{folder}/{name[:8]}"

"""The files of a results branch and of a results folder: asv's own layout, and the additions of Windtunnel.

    benchmarks.json                 asv: the benchmarks
    <machine>/machine.json          asv: the machine
    <machine>/<commit[:8]>-….json   asv: the results of one commit in one environment
    alerts.json                     Windtunnel: the alerts; the branch has the authoritative copy
    error-rates.json                Windtunnel: false alarms and found slowdowns of each run; kept like the alerts
    records/<anything>.json         Windtunnel: how runs went; never changed, never merged
    records/claims-<hash>.json      Windtunnel: values of claims; grows while they are measured, and the newer is kept

Other files are left alone and never copied between a folder and a branch.
"""

from windtunnel.results.record_files import CLAIM_FILE
from windtunnel.results.tree import BENCHMARKS, MACHINE, RECORDS

ALERTS = "alerts.json"

ERROR_RATES = "error-rates.json"

EDITED = frozenset({ALERTS, ERROR_RATES})
"""Files that commands edit on the branch; a folder has copies, which are never pushed."""

MAX_FILE_BYTES = 64 * 2**20
"""The largest file of the public histories that we know has 8 MB."""

MAX_NAME_BYTES = 245
"""File systems allow 255; the temporary file of a write has ten more."""


def name_problem(name: bytes) -> str | None:
    """Return why a file or folder must not be called *name*, None for a safe name."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return "whose name is not UTF-8"
    if text in {"", ".", ".."} or text.lower().rstrip(". ") in {".git", "git~1"}:
        return "a name with a special meaning for file systems or git"
    if "/" in text or "\\" in text or not text.isprintable() or len(name) > MAX_NAME_BYTES:
        return "which is not a plain file name"
    return None


def is_results_file(path: str) -> bool:
    """Return whether the file at *path* (relative, POSIX) is part of the layout."""
    *folders, name = path.split("/")
    if not folders:
        return name in {BENCHMARKS, *EDITED}
    hidden = any(part.startswith(".") for part in (*folders, name))
    return name.endswith(".json") and name != BENCHMARKS and not hidden


def is_run_file(path: str) -> bool:
    """Return whether the file at *path* is asv's file of one run, by its location."""
    folder, _, name = path.rpartition("/")
    return is_results_file(path) and folder not in {"", RECORDS} and name != MACHINE


def is_claim_file(path: str) -> bool:
    """Return whether the file at *path* holds values of claims, by its name."""
    folder, _, name = path.rpartition("/")
    return folder == RECORDS and bool(CLAIM_FILE.fullmatch(name))


def is_proof_of_results(path: str) -> bool:
    """Return whether only a results branch has a file at *path*; a branch of sources has none."""
    folder, _, name = path.rpartition("/")
    return name == MACHINE or folder == RECORDS or (not folder and is_results_file(path))


def merge_group(path: str) -> str:
    """Return a name that all files share which may have to be merged with the one at *path*.

    Runs of one commit may be filed under its first 8 digits or all 40, and two commits may share the 8.
    """
    folder, _, name = path.rpartition("/")
    alone = not folder or name == MACHINE or folder == RECORDS
    return path if alone else f"{folder}/{name[:8]}"

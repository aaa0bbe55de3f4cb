"""Run records in a results folder: how runs went, kept beside asv's files where asv does not look."""

import hashlib
from pathlib import Path

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.run_format import RUN_FORMAT, RunRecord

RECORDS = "records"

RESULTS, RECORD = "results", "run.json"
"""What the folder of a shard holds: a results tree, and how the run went."""


def keep_record(path: Path, results: Path) -> None:
    """Copy the run record at *path* into the folder *results*, under a name that no other record has."""
    content = path.read_bytes()
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.json"
    write_atomically(results / RECORDS / name, content)


def read_records(results: Path) -> tuple[tuple[RunRecord, ...], tuple[str, ...]]:
    """Return the records in the folder *results*, oldest first, and what is to be said of those that cannot be read."""
    records, doubts = [], []
    for path in sorted((results / RECORDS).glob("*.json")):
        try:
            records.append(RUN_FORMAT.decode(path.read_bytes(), f"{RECORDS}/{path.name}"))
        except (DataError, OSError) as error:
            doubts.append(f"a run record could not be read: {error}")
    return tuple(sorted(records, key=lambda record: record.started)), tuple(doubts)

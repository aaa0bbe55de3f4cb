"""How far counts of instructions repeat, and which changes they show, for docs/measurements/instructions.md.

    make study ARGS="studies.instruction_counts FOLDER --suite own"            equal code, counted twice
    make study ARGS="studies.instruction_counts FOLDER --suite packaging --from CLONE/benchmarks --install CLONE"
    make study ARGS="studies.instruction_counts FOLDER --changes"              changes of known size

Equal code: makes two environments, and counts each case with five hash seeds in one and five others in the other.
Changes: counts jobs of milliseconds before and after changes of their source. FOLDER/counts.jsonl holds all counts, and
what is there is not counted again. ``--every 3`` takes every third case.
"""

import argparse
import json
import sys
from pathlib import Path

from .changes import count_changes
from .equal_code import count_twice
from .table import tables


def main():
    """Count what is asked for and is not there; print or write the tables."""
    asked = arguments()
    asked.folder.mkdir(parents=True, exist_ok=True)
    file = asked.folder / "counts.jsonl"
    known = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    with file.open("a") as out:

        def note(record):
            known.append(record)
            out.write(json.dumps(record) + "\n")
            out.flush()
            sys.stderr.write(
                f"{record['suite']} {record['side']} {record['case']}: {record['reason'] or record['per_call']}\n"
            )

        if asked.suite:
            count_twice(asked, known, note)
        if asked.changes:
            count_changes(asked, known, note)
    sys.stdout.write(tables(known) + "\n")


def arguments():
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--suite", help="a name for the suite whose equal code is counted twice")
    parser.add_argument("--from", dest="benchmarks", type=Path, default=Path("benchmarks"), help="its folder")
    parser.add_argument(
        "--install", nargs="*", default=[], help="what its environments need, as uv pip install takes it"
    )
    parser.add_argument("--only", default="", help="a regular expression of its cases")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    return parser.parse_args()


main()

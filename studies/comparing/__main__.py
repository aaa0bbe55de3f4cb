"""How often two commits of a real project are judged rightly, by ``windtunnel compare`` and by ``asv continuous``.

    make study ARGS="studies.comparing FOLDER"                      30 pairs alike, 20 with changes
    make study ARGS="studies.comparing FOLDER --alike 2 --injected 2"
    make study ARGS="studies.comparing FOLDER --minutes 60"         the same call goes on from there

Makes a project of 24 benchmarks (CPU, allocation, sleep, coroutine, file) in FOLDER, then heads whose wheel differs but
which do the same, and heads that make six jobs slower: two by 5 %, two by 10 %, two by 20 %. Both contestants judge
each pair of commits in turn; who begins changes from trial to trial. FOLDER/trials.jsonl holds every answer; what is
there is not measured again.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from time import monotonic

from .contestants import a_clone, asv_continuous, windtunnel
from .project import JOBS, Trial, a_studied_project
from .table import table

CONTESTANTS = {"windtunnel compare": windtunnel, "asv continuous": asv_continuous}
SEED = 20261121


def main():
    """Run what is missing, print the table."""
    asked = arguments()
    trials = prepared(asked)
    file = asked.folder / "trials.jsonl"
    ends = monotonic() + 60 * asked.minutes
    for number, trial in enumerate(trials):
        names = list(CONTESTANTS)
        for by in names if number % 2 else reversed(names):
            if (trial.name, by) not in {(record["trial"], record["by"]) for record in records(file)}:
                if monotonic() > ends:
                    sys.stdout.write(f"{table(records(file))}\n")
                    sys.exit(f"out of time before {trial.name}; the same call goes on from here")
                measure(asked.folder, trial, by, file)
    sys.stdout.write(f"{table(records(file))}\n")


def arguments():
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--alike", type=int, default=30)
    parser.add_argument("--injected", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no comparison after this long")
    parser.add_argument("--python", default=f"{sys.version_info.major}.{sys.version_info.minor}")
    return parser.parse_args()


def prepared(asked):
    """The trials of the project in the folder, which is made when it is not there."""
    truth = asked.folder / "truth.json"
    if not truth.exists():
        asked.folder.mkdir(parents=True, exist_ok=True)
        made = a_studied_project(
            asked.folder / "project", python=asked.python, alike=asked.alike, injected=asked.injected, seed=SEED
        )
        truth.write_text(json.dumps([asdict(trial) for trial in made], indent=1))
    return tuple(Trial(**trial) for trial in json.loads(truth.read_text()))


def measure(folder, trial, by, file):
    """One contestant's answer to one trial, added to the file."""
    clone = a_clone(folder / "project", folder / by.replace(" ", "-"))
    answer = CONTESTANTS[by](clone, trial)
    record = {"trial": trial.name, "by": by, "injected": trial.injected, "jobs": len(JOBS), **asdict(answer)}
    with file.open("a") as out:
        out.write(json.dumps(record) + "\n")
    said = f"slower {answer.slower}, faster {answer.faster}, undecided {answer.undecided}"
    sys.stderr.write(f"{trial.name}: {by}: {answer.seconds:.0f} s, {said}\n")


def records(file):
    """What was measured so far."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


main()

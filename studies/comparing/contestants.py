"""The two that are studied: ``windtunnel compare`` and ``asv continuous``, each in a clone of its own."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

ASV_FACTOR = "1.05"
"""The smallest change that both are asked for: asv's factor, the usual threshold of compare."""


ENV = os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
"""asv looks for uv on the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a contestant said: jobs that it called slower or faster, jobs it left open, and how long it took."""

    slower: tuple[str, ...]
    faster: tuple[str, ...]
    undecided: tuple[str, ...]
    seconds: float


def windtunnel(clone, trial, *, extra=()):
    """``windtunnel compare`` with its defaults."""
    out = clone / "verdict.json"
    out.unlink(missing_ok=True)
    compare = ["compare", trial.base, trial.head, "--out", str(out), "--no-gate", "--quiet", *extra]
    seconds = timed([sys.executable, "-m", "windtunnel.cli", *compare], clone, expected={0})
    verdicts = json.loads(out.read_text())["comparisons"]
    return Answer(
        slower=tuple(job(row["benchmark"]) for row in verdicts if row["verdict"] == "regressed"),
        faster=tuple(job(row["benchmark"]) for row in verdicts if row["verdict"] == "improved"),
        undecided=tuple(job(row["benchmark"]) for row in verdicts if row["verdict"] in {"undecided", "inconclusive"}),
        seconds=seconds,
    )


def asv_continuous(clone, trial, *, extra=()):
    """``asv continuous`` with its usual rounds; its table names what changed."""
    machine = [sys.executable, "-m", "asv", "machine", "--yes"]
    subprocess.run(machine, cwd=clone, check=True, capture_output=True)
    log = clone / "asv.log"
    command = [sys.executable, "-m", "asv", "continuous", "--factor", ASV_FACTOR, *extra, trial.base, trial.head]
    seconds = timed(command, clone, expected={0, 1}, log=log)
    if "SIGNIFICANTLY CHANGED" not in log.read_text() and "PERFORMANCE" not in log.read_text():
        sys.exit(f"asv continuous compared nothing:\n{log.read_text()[-3000:]}")
    rows = re.findall(r"^\| ([+-]) .*\| (\S+) *(?:\[.*)?\|$", log.read_text(), re.MULTILINE)
    return Answer(
        slower=tuple(job(name) for sign, name in rows if sign == "+"),
        faster=tuple(job(name) for sign, name in rows if sign == "-"),
        undecided=(),
        seconds=seconds,
    )


def timed(command, clone, *, expected, log=None):
    """Run it and return its seconds; what it said is kept in *log*, and shown when it ended otherwise than expected."""
    log = log or clone / "compare.log"
    started = monotonic()
    with log.open("w") as file:
        done = subprocess.run(command, cwd=clone, env=ENV, stdout=file, stderr=subprocess.STDOUT, check=False)
    if done.returncode not in expected:
        sys.exit(f"{command[2]} ended with {done.returncode}:\n{log.read_text()[-3000:]}")
    return monotonic() - started


def job(benchmark):
    """``jobs.time_cpu_add`` is about ``cpu_add``."""
    return benchmark.rpartition(".")[2].removeprefix("time_")


def a_clone(project, where):
    """A clone with a local branch ``main``, kept from trial to trial as a user's is: its environments are made once."""
    if not Path(where).exists():
        subprocess.run(["git", "clone", "--quiet", str(project), str(where)], check=True)
    return Path(where)

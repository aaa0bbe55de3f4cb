"""Opens each case of the scenarios in a process: what it leaves behind however it ends, and what it costs.

    make study ARGS="studies.case_processes"                           all cases at the smallest load, three ends each
    make study ARGS="studies.case_processes --load quick --end normal" clock and CPU seconds of each scenario at a load
    make study ARGS="studies.case_processes --only redis --sample"     matching scenarios, the first variant of each

Each process opens a case (which runs it once, as the warm-up) and runs it once more. All its processes, also servers,
have a variable in their environment by which they are found. What may stay: processes, ports on which they listened,
files in the folder for temporary files and in /dev/shm, and shared memory of System V. The exit code is 1 where
something does.

Clock time is that of the whole process. CPU seconds are those of all its processes when the last run has ended, with
their children that have ended. asv starts each case more often and takes more samples: studies.durations has the
clock time of a whole measurement.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import psutil

from windtunnel_scenarios.model import LoadName, UnavailableError
from windtunnel_scenarios.registry import all_scenarios, check_available

MARK = "WINDTUNNEL_CASE"
"""The environment variable by which the processes of a case are found."""

SKIPPED = 3
"""The exit code of a case that this system cannot have."""

PATIENCE = 60.0
"""Seconds that processes have to end after their case."""

SHARED, SEGMENTS, CREATOR = Path("/dev/shm"), Path("/proc/sysvipc/shm"), 4
"""Shared memory of POSIX and of System V, and the column of the latter with the process that created a segment."""

CASE = f"""
import sys
from windtunnel_scenarios.model import UnavailableError
from windtunnel_scenarios.registry import prepared
if __name__ == "__main__":
    try:
        with prepared(*sys.argv[1:]) as run:
            run()
            print("ran", flush=True)
            if input() == "fail":
                raise SystemExit(1)
    except UnavailableError:
        sys.exit({SKIPPED})
"""

ENDS: dict[str, Callable[[subprocess.Popen], object]] = {
    "normal": lambda process: process.stdin.write(b"end\n"),  # it is sent when the pipe is closed
    "error": lambda process: process.stdin.write(b"fail\n"),
    "kill": lambda process: process.kill(),
}


@dataclass
class Examined:
    """What one process of a case cost and left behind."""

    clock: float = 0.0
    cpu: float = 0.0
    failure: str = ""
    left: list[str] = field(default_factory=list)


def main():
    """Examine the cases and print what they cost, and what stayed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", type=LoadName, default=LoadName.TRIAL, choices=list(LoadName))
    parser.add_argument("--only", default="", help="scenarios whose name matches this regular expression")
    parser.add_argument("--sample", action="store_true", help="the first variant of each scenario that is available")
    parser.add_argument("--end", action="append", choices=ENDS, help="only this end; may be repeated")
    options = parser.parse_args()
    sys.exit(examine_all(options.load, options.only, options.sample, options.end or list(ENDS)))


def examine_all(load, only, sample, ends):
    """Print a line for each scenario, and return the exit code."""
    failures = 0
    totals = defaultdict(float)
    for scenario in all_scenarios():
        cases = [each.name for each in scenario.variants if is_available(each)][: 1 if sample else None]
        if not re.search(only, scenario.name) or load not in dict(scenario.loads):
            continue
        clock = cpu = processes = 0
        for variant in cases:
            for end in ends:
                found = examine([CASE, scenario.name, variant, load], end)
                clock, cpu, processes = clock + found.clock, cpu + found.cpu, processes + (not found.failure)
                for problem in (*filter(None, [found.failure]), *found.left):
                    sys.stdout.write(f"{scenario.name}/{variant}, end {end}: {problem}\n")
                failures += bool(found.left or found.failure not in {"", "skipped"})
        sys.stdout.write(f"{clock:8.2f} s clock {cpu:8.2f} s CPU {processes:4} processes  {scenario.name}\n")
        sys.stdout.flush()
        for name, value in (("clock", clock), ("cpu", cpu), ("processes", processes)):
            totals[name] += value
    sys.stdout.write(
        f"{totals['clock']:8.2f} s clock {totals['cpu']:8.2f} s CPU {totals['processes']:4.0f} processes  in all; "
        f"{failures} left something or failed\n"
    )
    return int(failures > 0)


def is_available(variant):
    """Whether this system has what a variant requires."""
    try:
        check_available(variant)
    except UnavailableError:
        return False
    return True


def examine(arguments, end):
    """Run a program with these arguments until it prints a line, end it, and return what it cost and left."""
    mark, shared = token_hex(), set(SHARED.iterdir()) if SHARED.exists() else set()
    script, *words = arguments
    found = Examined()
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary,
        tempfile.TemporaryFile() as errors,
    ):
        Path(temporary).chmod(0o711)  # the user that runs PostgreSQL can enter it
        program = Path(folder, "case.py")  # a file, because spawned processes import it
        program.write_text(script, encoding="utf-8")
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, program, *words],
            env=os.environ | {"TMPDIR": temporary, MARK: mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        with process:
            ran = process.stdout.readline()
            processes = marked(mark)
            ports = {port for each in processes for port in listening(each)}
            found.cpu = sum(map(cpu_seconds, processes))
            if ran:
                ENDS[end](process)
        found.clock = time.perf_counter() - begin
        if not ran:
            errors.seek(0)
            failed = f"failed: {errors.read().decode(errors='replace')[-500:]}"
            found.failure = "skipped" if process.returncode == SKIPPED else failed
        deadline = time.monotonic() + PATIENCE
        created = {each.pid for each in processes}
        while (left := what_is_left(mark, temporary, shared, created, ports)) and time.monotonic() < deadline:
            time.sleep(0.05)
        found.left = left
        for each in marked(mark):
            each.kill()
    return found


def what_is_left(mark, temporary, shared, created, ports):
    """Name what is there still: processes, ports, files, shared memory that is new and belongs to the case."""
    left = [f"process {each.pid}{command_of(each)}" for each in marked(mark)]
    left += [f"port {port}" for port in ports if is_open(port)]
    left += [f"file {path}" for path in Path(temporary).iterdir()]
    left += [f"shared memory {path}" for path in SHARED.iterdir() if path not in shared and path.name.startswith(OWN)]
    rows = SEGMENTS.read_text(encoding="ascii").splitlines()[1:] if SEGMENTS.exists() else []
    return left + [f"segment {row.split()[1]}" for row in rows if int(row.split()[CREATOR]) in created]


OWN = ("windtunnel-", "psm_", "sem.", "PostgreSQL.")
"""How names in /dev/shm begin that a case may create: its folders, and those of multiprocessing and PostgreSQL."""


def marked(mark):
    """The running processes with this mark in their environment."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def command_of(process):
    """The beginning of the command of a process, unless it has ended by now."""
    with suppress(psutil.Error):
        return f" {' '.join(process.cmdline())[:80]}"
    return ""


def listening(process):
    """The ports on which a process listens."""
    with suppress(psutil.Error):
        return [each.laddr.port for each in process.net_connections("tcp") if each.status == psutil.CONN_LISTEN]
    return []


def cpu_seconds(process):
    """The processor time of a process and of its children that have ended."""
    with suppress(psutil.Error):
        times = process.cpu_times()
        return times.user + times.system + times.children_user + times.children_system
    return 0.0


def is_open(port):
    """Whether something listens on a port of 127.0.0.1."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    main()

"""Which value should stand for a process: how far each candidate scatters from process to process, measured here.

Jobs that compute, allocate, wait, and do both, on quiet cores and on cores that others keep busy; about a minute:

    make study ARGS="studies.process_values"
"""

import json
import os
import statistics
import subprocess
import sys
import time

PROCESSES = 14
VALUES = 10
JOBS = ("computing", "allocating", "waiting", "half waiting")
CANDIDATES = ("wall minimum", "wall median", "CPU minimum", "CPU median")


def compute():
    """Keep a core busy for some milliseconds."""
    return sum(index * index for index in range(60_000))


def allocate():
    """Build and drop many small objects."""
    return len([{"key": [index]} for index in range(10_000)])


def wait():
    """Sleep as a server's answer would take."""
    time.sleep(0.005)


def half():
    """Wait, then compute."""
    time.sleep(0.003)
    return sum(index * index for index in range(30_000))


WORK = dict(zip(JOBS, (compute, allocate, wait, half), strict=True))


def one_process(job):
    """Return the values of one process: wall and CPU seconds of each."""
    work = WORK[job]
    for _ in range(3):
        work()
    values = []
    for _ in range(VALUES):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        values.append((time.perf_counter() - wall, time.process_time() - cpu))
    return values


def candidates(values):
    """Return what each candidate makes of a process."""
    wall, cpu = ([value[side] for value in values] for side in (0, 1))
    return min(wall), statistics.median(wall), min(cpu), statistics.median(cpu)


def spreads(job):
    """Return by candidate the coefficient of variation over processes, and each one's largest CPU / wall."""
    found, shares = [], []
    for _ in range(PROCESSES):
        argv = [sys.executable, "-m", "studies.process_values", job]
        values = json.loads(subprocess.run(argv, check=True, capture_output=True).stdout)
        found.append(candidates(values))
        shares.append(max(cpu / wall for wall, cpu in values))
    return [statistics.stdev(column) / statistics.mean(column) for column in zip(*found, strict=True)], shares


def table(busy):
    """Yield the lines of the table with *busy* processes that keep cores from us."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    try:
        for job in JOBS:
            spread, shares = spreads(job)
            cells = " | ".join(f"{share:.1%}" for share in spread)
            yield f"| {job} | {busy} | {statistics.median(shares):.2f} | {cells} |"
    finally:
        for other in others:
            other.kill()
            other.wait()


def main():
    """Print the table."""
    sys.stdout.write(f"| job | busy others | largest CPU / wall | {' | '.join(CANDIDATES)} |\n{'|---' * 7}|\n")
    for busy in (0, os.cpu_count() or 1):
        for line in table(busy):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(json.dumps(one_process(sys.argv[1])))
    else:
        main()

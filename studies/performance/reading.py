"""How fast and in how much memory results trees are read, beside asv's own loader.

    make study ARGS="studies.performance.reading"                      1,500 files of 500 benchmarks
    make study ARGS="studies.performance.reading --files 100 --benchmarks 50 --rounds 1"

Writes a history like real ones (one in five benchmarks has parameters, some fail or are skipped, samples are kept for
a quarter, infinite intervals occur), reads it with each loader in turn, each time in a new process, and prints the
medians. Both are timed twice: dropping each file before the next is read, as ``asv publish`` does, and keeping all, as
Windtunnel's commands do. The imports, about 0.3 s each, are outside the clock.
"""

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import perf_counter

from windtunnel.asv.results_format.layout import NAMES


def a_commit(number):
    """The hash of a commit."""
    return sha256(str(number).encode()).hexdigest()[:40]


def a_file(number, names, rng):
    """One results file, as data."""
    commit = a_commit(number)
    moment = 1_700_000_000_000 + number * 86_400_000
    return {
        "commit_hash": commit,
        "env_name": "virtualenv-py3.12",
        "date": moment,
        "params": {"machine": "runner", "python": "3.12", "cpu": "some CPU", "ram": "16GB"},
        "python": "3.12",
        "requirements": {},
        "env_vars": {},
        "result_columns": NAMES,
        "results": {name: a_row(place, name, moment, rng) for place, name in enumerate(names)},
        "durations": {"<build>": 12.5},
        "version": 2,
    }


def a_row(place, name, moment, rng):
    """The columns of one benchmark's results."""
    params = [["1", "10"], ["'a'", "'b'"]] if place % 5 == 0 else []
    usual = 1e-6 * 1.03**place  # microseconds to seconds
    values = [usual * rng.lognormvariate(0, 0.03) for _ in range(4 if params else 1)]
    row = [values, params, sha256(name.encode()).hexdigest(), moment + place * 1000, short(rng.random() * 10)]
    if place % 17 == 0:
        row[0] = None if place % 2 else [math.nan for _ in values]
    elif place % 13:
        few = place % 11 == 0
        row += [
            [-math.inf if few else short(value * 0.98) for value in values],
            [math.inf if few else short(value * 1.02) for value in values],
            [short(value * 0.99) for value in values],
            [short(value * 1.01) for value in values],
            [10 for _ in values],
            [10 for _ in values],
        ]
        if place % 4 == 0:
            row.append([[value * rng.lognormvariate(0, 0.02) for _ in range(10)] for value in values])
    return row


def short(value):
    """Five digits, as asv keeps of statistics."""
    return float(f"{value:.4e}")


def say(line):
    """Print *line* at once: a reader waits for it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def write(folder, files, benchmarks):
    """Write a results tree and return its bytes."""
    rng = random.Random(1)
    names = [f"benchmarks.module{i % 20}.TimeSuite{i % 50}.time_something_{i}" for i in range(benchmarks)]
    machine = folder / "runner"
    machine.mkdir(parents=True)
    (machine / "machine.json").write_text(json.dumps({"machine": "runner", "version": 1}))
    size = 0
    for number in range(files):
        data = a_file(number, names, rng)
        size += (machine / f"{data['commit_hash'][:8]}-virtualenv-py3.12.json").write_text(json.dumps(data))
    return size


def dropped(runs):
    """Count *runs*, forgetting each before the next."""
    return sum(1 for _ in runs)


def kept(runs):
    """Count *runs* while they are all in memory."""
    return len(list(runs))


def asv():
    """Import asv; return what yields the runs of a folder."""
    from asv.results import iter_results

    return lambda folder: iter_results(str(folder))


def windtunnel():
    """Import Windtunnel; return what yields the runs of a folder."""
    from windtunnel.asv.results_format.files import decode_run
    from windtunnel.asv.results_format.layout import KnownLayouts

    def runs(folder):
        layouts = KnownLayouts()
        for path in folder.rglob("*-*.json"):
            decoded = decode_run(path.read_bytes(), path.name, layouts)
            assert not decoded.problems
            yield decoded.value

    return runs


def windtunnel_tree():
    """Import Windtunnel; return what reads a folder as every command does."""
    from windtunnel.results.tree import read_tree

    return lambda folder: read_tree(folder).runs


LOADERS = {
    "asv": (asv, dropped),
    "windtunnel": (windtunnel, dropped),
    "asv, all kept": (asv, kept),
    "windtunnel, all kept": (windtunnel_tree, kept),
}
PAIRS = (("asv", "windtunnel"), ("asv, all kept", "windtunnel, all kept"), ("asv", "windtunnel, all kept"))


def child(loader, folder):
    """Be a process that reads *folder* once and says how long that took and how much memory it needed."""
    imported, count = LOADERS[loader]
    read = imported()
    started = perf_counter()
    number = count(read(folder))
    seconds = perf_counter() - started
    say(json.dumps([number, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))


def measured(loader, folder):
    """Return what ``child`` says."""
    command = [sys.executable, "-m", "studies.performance.reading", "--child", loader, "--folder", str(folder)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    """Print a table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1500)
    parser.add_argument("--benchmarks", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", choices=LOADERS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        size = write(Path(folder) / "results", options.files, options.benchmarks)
        say(f"{options.files} files of {options.benchmarks} benchmarks, {size / 1e6:.0f} MB")
        rounds = [{each: measured(each, Path(folder) / "results") for each in LOADERS} for _ in range(options.rounds)]
    for loader in LOADERS:
        times = sorted(each[loader][1] for each in rounds)
        memory = max(each[loader][2] for each in rounds)
        say(f"{loader:21} {median(times):7.2f} s ({times[0]:.2f} to {times[-1]:.2f})  {memory / 1e6:6.0f} MB")
        assert {each[loader][0] for each in rounds} == {options.files}
    for theirs, ours in PAIRS:
        ratios = sorted(each[theirs][1] / each[ours][1] for each in rounds)
        say(f"{theirs} / {ours}: {median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})")


if __name__ == "__main__":
    main()

"""How long publishing one more commit takes for histories of great size, in how much memory, and what it writes.

    make study ARGS="studies.performance.scale make FOLDER --like scipy"       41,585 series, 8.9 million values
    make study ARGS="studies.performance.scale make FOLDER --like wide"        20,000 commits of 2,000 cases
    make study ARGS="studies.performance.scale make FOLDER --like long"        100,000 commits of 1,000 cases
    make study ARGS="studies.performance.scale make FOLDER --like one"         60 commits of 40,000 cases
    make study ARGS="studies.performance.scale make FOLDER --like machines"    60 commits of 100 cases on 400 machines
    make study ARGS="studies.performance.scale publish FOLDER"                 a first build, one more commit, no news

``--tenth`` makes a tenth of the commits. Only the two newest results files are real: the values of the others are in
the cache from the beginning, because results files of that many values need 40 GB. So the first build is timed without
the reading of results files, which ``publishing.py`` times. Sizes are those of the whole site.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from time import perf_counter

import numpy as np

from studies.performance import publishing, reading
from windtunnel import formats
from windtunnel.asv.results_format.layout import NAMES
from windtunnel.detect.format import SCHEMA, DetectedChanges
from windtunnel.model.run import Environment
from windtunnel.results.column_reading import (
    BLOCK_COMMITS,
    CachedFile,
    RunHeader,
    save_block,
    save_cache,
)
from windtunnel.results.columns import VALUE, CaseKey, RunFacts, sorted_values

PYTHONS = ("3.12", "3.13")
VERSION = "1"


@dataclass(frozen=True, kw_only=True)
class Size:
    """The size of a history."""

    commits: int
    cases: tuple[int, ...]
    """The number of cases of each benchmark."""
    pythons: int = 1
    machines: int = 1


def heavy(benchmarks, total):
    """Return numbers of cases for so many benchmarks, most of them few and some very many."""
    weights = 1 / np.arange(1, benchmarks + 1) ** 0.8
    found = np.maximum(1, np.round(weights / weights.sum() * total)).astype(int)
    found[0] += total - found.sum()
    return tuple(found.tolist())


SIZES = {
    "scipy": Size(commits=214, cases=heavy(1100, 20_792), pythons=2),
    "wide": Size(commits=20_000, cases=(10,) * 200),
    "long": Size(commits=100_000, cases=(10,) * 100),
    "one": Size(commits=60, cases=(10,) * 4000),
    "machines": Size(commits=60, cases=(10,) * 10, machines=400),
}


def make(folder, size):
    """Write the repository, the results, and the cache."""
    shutil.rmtree(folder, ignore_errors=True)
    machines = ["runner", *(f"runner{number}" for number in range(1, size.machines))]
    for name in machines:
        (folder / "results" / name).mkdir(parents=True)
        (folder / "results" / name / "machine.json").write_text(json.dumps({"machine": name, "version": 1}))
    hashes = publishing.repository(folder / "repo", size.commits)
    names = [f"module{n % 20}.Suite{n % 50}.time_something_{n}" for n in range(len(size.cases))]
    grids = [[str(k) for k in range(count)] for count in size.cases]
    entries = {
        name: {
            "code": "def time_something(): pass",
            "name": name,
            "param_names": ["n"],
            "params": [grid],
            "type": "time",
            "unit": "seconds",
            "version": VERSION,
        }
        for name, grid in zip(names, grids, strict=True)
    }
    (folder / "results" / "benchmarks.json").write_text(json.dumps(entries | {"version": 2}))
    (folder / "asv.conf.json").write_text(json.dumps(publishing.CONFIG))
    keys = [CaseKey(name, VERSION, (value,)) for name, grid in zip(names, grids, strict=True) for value in grid]
    rng = np.random.default_rng(1)
    level = 1e-6 * 10 ** rng.uniform(0, 6, len(keys))
    files, blocks, waiting = [], {}, []
    cache = folder / ".site.cache"
    for number, commit in enumerate(hashes):
        if number % 997 == 500:
            level = level * np.exp(rng.normal(0, 0.05, len(keys)) * (rng.random(len(keys)) < 0.02))
        for python, machine in product(PYTHONS[: size.pythons], machines):
            value = level * np.exp(rng.normal(0, 0.02, len(keys)))
            low, high = value * 0.98, value * 1.02
            name = f"{commit[:8]}-virtualenv-py{python}.json"
            path = folder / "results" / machine / name
            moment = 1_700_000_000_000 + number * 86_400_000
            if number >= size.commits - 2:
                real(path, header(commit, machine, python, moment), (names, grids), (value, low, high))
            if number == size.commits - 1:
                (folder / "newest" / machine).mkdir(parents=True, exist_ok=True)
                path.rename(folder / "newest" / machine / name)
                continue
            if number < size.commits - 2:
                path.write_bytes(b"{}")
            status = path.stat()
            run = RunHeader(commit, machine, Environment(name=f"virtualenv-py{python}", python=python), moment, ())
            block, facts = number // BLOCK_COMMITS, RunFacts(newest=moment)
            files.append(
                CachedFile(
                    file=f"{machine}/{name}",
                    size=status.st_size,
                    modified=status.st_mtime_ns,
                    changed=status.st_ctime_ns,
                    digest=commit[:16].encode(),
                    run=run,
                    facts=facts,
                    block=block,
                    number=len(waiting),
                )
            )
            rows = np.zeros(len(keys), VALUE)
            rows["case"], rows["run"] = np.arange(len(keys)), len(waiting)
            rows["value"], rows["low"], rows["high"] = value, low, high
            waiting.append(rows)
        if number % BLOCK_COMMITS == BLOCK_COMMITS - 1 or number == size.commits - 1:
            blocks[number // BLOCK_COMMITS] = save_block(cache, number // BLOCK_COMMITS, sorted_values(waiting))
            waiting.clear()
    none = DetectedChanges(
        schema=SCHEMA,
        series=0,
        commits=0,
        changes=(),
        events=(),
        machine_shifts=(),
        skipped=(),
        notes=(),
        candidates=(),
    )
    (folder / "changes.json").write_bytes(formats.encode(none))
    save_cache(cache, files, keys, blocks)
    reading.say(f"{len(hashes)} commits, {len(keys) * size.pythons * size.machines} series")


def real(path, head, suite, columns):
    """Write a results file as asv does."""
    rows, start = {}, 0
    for name, grid in zip(*suite, strict=True):
        value, low, high = (column[start : start + len(grid)].tolist() for column in columns)
        several = [10] * len(grid)
        rows[name] = [value, [grid], VERSION, head["date"], 1.0, low, high, low, high, several, several]
        start += len(grid)
    path.write_text(json.dumps(head | {"results": rows}))


def header(commit, machine, python, moment):
    """Return a results file without results."""
    return {
        "commit_hash": commit,
        "env_name": f"virtualenv-py{python}",
        "date": moment,
        "params": {"machine": machine, "python": python},
        "python": python,
        "requirements": {},
        "env_vars": {},
        "result_columns": NAMES,
        "durations": {},
        "version": 2,
    }


def publish(folder):
    """Build from nothing, then with one more commit, then without news."""
    timed("first build", folder)
    shutil.copytree(folder / "newest", folder / "results", dirs_exist_ok=True)
    timed("one more commit", folder)
    timed("no news", folder)
    sizes(folder / "site")


def timed(what, folder):
    """Publish as a process; say what it took."""
    command = publishing.windtunnel(
        "publish", "results", "--out", "site", "--repo", "repo", "--changes", "changes.json"
    )
    started = perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{what} failed")
    seconds = used.ru_utime + used.ru_stime
    clock, memory = perf_counter() - started, used.ru_maxrss / 2**20
    reading.say(f"{what}: {seconds:.1f} s of processor time, {clock:.1f} s, at most {memory:.2f} GiB of memory")


def sizes(site):
    """Say how large the site is."""
    files = [path for path in site.rglob("*") if path.is_file()]
    largest = sorted(files, key=lambda path: -path.stat().st_size)[:4]
    folders = max(
        (len(list(each.iterdir())), each.relative_to(site)) for each in (site, *site.rglob("*/")) if each.is_dir()
    )
    total = sum(path.stat().st_size for path in files)
    reading.say(f"site: {total / 1e6:.0f} MB, {len(files)} files; {folders[0]} entries in {folders[1]}")
    for path in largest:
        reading.say(f"  {path.stat().st_size / 1e3:.0f} kB {path.relative_to(site)}")


def main():
    """Carry out one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("make", "publish"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--like", choices=SIZES, default="scipy")
    parser.add_argument("--tenth", action="store_true")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.step == "publish":
        publish(folder)
        return
    size = SIZES[options.like]
    make(folder, replace(size, commits=size.commits // 10) if options.tenth else size)


if __name__ == "__main__":
    main()

"""Equal code in two environments: counted with the same seeds, as in a comparison, and with others."""

import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from statistics import mean

from uv import find_uv_bin

from .counting import count, count_sides, discover, environment_of

SEEDS = {"first": (1, 2, 3, 4, 5), "second": (6, 7, 8, 9, 10)}
FOLDERS = {"first": "base", "second": "head"}
"""Names of one length, as those of asv's environments: another length moves all objects behind the name."""

AGAIN = "second, seeds of the first"
"""The side that is counted in the second environment with the seeds of the first, as in a comparison."""

LIMIT = 0.001
"""The difference that equal code should not exceed."""

SHARES = Path(__file__).with_name("cpu_share.py")

CPU_BOUND = 0.9
"""The share of its time that a CPU-bound case computes in its own thread."""


def count_twice(asked, known, note):
    """Count each CPU-bound case of the suite in both environments with the same seeds, then in one with others."""
    there = {(record["side"], record["case"]) for record in known if record["suite"] == asked.suite}
    environments = {side: made(asked, side) for side in SEEDS}
    entries = discover(environments["first"], asked.benchmarks)
    timed = [
        (name, index) for name, entry in entries.items() if entry["type"] == "time" for index in combinations(entry)
    ]
    wanted = [one for one in timed if re.search(asked.only, title(entries, *one))][:: asked.every]
    shares = cpu_shares(asked, environments["first"], entries, wanted)
    computing = [one for one in wanted if shares.get(title(entries, *one), 0) >= CPU_BOUND]

    def noted(side, one, counts):
        note(
            {
                "suite": asked.suite,
                "side": side,
                "case": title(entries, *one),
                "per_call": counts.per_call,
                "calls": counts.calls,
                "other": counts.other_threads,
                "reason": counts.reason.strip().splitlines()[-1] if counts.reason.strip() else "",
                "cases": len(wanted),
            }
        )

    def left(side):
        return [one for one in computing if (side, title(entries, *one)) not in there]

    pair = {"base": "first", "head": AGAIN}
    sides = {"base": environments["first"], "head": environments["second"]}
    count_sides(
        sides,
        asked.benchmarks,
        entries,
        left(AGAIN),
        SEEDS["first"],
        lambda side, one, counts: noted(pair[side], one, counts),
    )
    count(
        environments["second"],
        asked.benchmarks,
        entries,
        left("second"),
        SEEDS["second"],
        lambda one, counts: noted("second", one, counts),
    )


def beyond_limit(records):
    """Return the cases whose counts differ by more than `LIMIT`, with the same seeds or with others."""
    sides = by_side(records)
    return {
        case
        for case, first in sides["first"].items()
        if any(difference(first, sides[side][case]) > LIMIT for side in (AGAIN, "second") if case in sides[side])
    }


def by_side(records):
    """Return by side and case the *records* that have counts."""
    sides = {side: {} for side in (*SEEDS, AGAIN)}
    for record in records:
        if record["per_call"]:
            sides[record["side"]][record["case"]] = record
    return sides


def difference(first, second):
    """Return the relative difference of the means of two sides."""
    return abs(mean(second["per_call"]) / mean(first["per_call"]) - 1)


def made(asked, side):
    """Return an environment of the suite, made at first."""
    folder = asked.folder.absolute() / f"{asked.suite}-{FOLDERS[side]}"
    python = folder / "env/bin/python"
    if not python.exists():
        subprocess.run([find_uv_bin(), "venv", "--quiet", "--python", asked.python, folder / "env"], check=True)
        install = [find_uv_bin(), "pip", "install", "--no-config", "--quiet", "--python", python, "asv_runner==0.3.2"]
        subprocess.run([*install, *asked.install], check=True)
    return environment_of(folder, python)


def combinations(entry):
    """The indices of the cases of a benchmark."""
    return range(math.prod(len(values) for values in entry["params"]))


def title(entries, name, index):
    """The name of a case."""
    values = list(itertools.product(*entries[name]["params"]))[index]
    return " ".join([name, *values])


def cpu_shares(asked, env, entries, names):
    """Return by case which share of its time it computes, from a short run without valgrind."""
    file = asked.folder / f"{asked.suite}-shares.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    for name, index in names:
        if (case := title(entries, name, index)) not in known:
            known[case] = share_of(asked, env, entries[name], index)
            file.write_text(json.dumps(known, indent=1))
    return known


def share_of(asked, env, entry, index):
    """Return the share of one case; 0 if it does not run."""
    name = f"{entry['name']}-{index}" if entry["params"] else entry["name"]
    if entry.get("setup_cache_key"):
        return 1.0
    try:
        out = env.run(
            [str(SHARES), str(asked.benchmarks.absolute()), name], timeout=180, display_error=False, dots=False
        )
    except Exception as error:  # noqa: BLE001 - asv's errors have no common base
        sys.stderr.write(f"{name}: {str(error).splitlines()[0]}\n")
        return 0.0
    return json.loads(out.strip().splitlines()[-1])["share"]

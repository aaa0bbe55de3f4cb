"""What ``windtunnel compare`` answers on a real suite: without a change, with known slowdowns, and of real commits.

    make study ARGS="studies.real_suites FOLDER --repository https://github.com/networkx/networkx"
    make study ARGS="studies.real_suites FOLDER --repository PATH --config benchmarks/asv.conf.json --python 3.13"
    make study ARGS="studies.real_suites FOLDER --repository PATH --alike 2 --injected 1 --sizes 10 --minutes 60"
    make study ARGS="studies.real_suites FOLDER --repository PATH --alike 0 --injected 0 --commits 50 --stored"

Ctrl-C or --minutes end it; the same call goes on from there, and --table only prints what FOLDER/trials.jsonl has. A
head without a change puts the body of a function into ``if True:``, which is other code and runs the same but for a
NOP. A slowdown is a loop at the beginning of a function, so long that a case takes so many per cent longer. The case
and the function are drawn at random among those that benchmarks run. --commits compares the last commits of the main
branch, each with its first parent. FOLDER/reports has what each comparison printed, with the seconds since its start,
and FOLDER/verdicts its verdict.json.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import monotonic

from studies.real_suites import answers
from studies.real_suites.injections import alike, any_function, committed, drawn, git, slowed

TRIES = 5
"""Functions that are changed until one is in a file whose change asks for a map."""

REAL = "commit"
NAMES = {"alike": "none", "slower": "+{} %", REAL: "real commits"}
"""What the table calls each kind of trial."""
CASES = f"{' / '.join(answers.COUNTS)} cases"
COLUMNS = ("by", "change", "trials", CASES, "found", "named", "false", "minutes", "CPU minutes", "load")


def main():
    """Run what is missing until the time ends, and print the table."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it otherwise
    asked = arguments()
    asked.folder.mkdir(parents=True, exist_ok=True)
    file = asked.folder / "trials.jsonl"
    ends = monotonic() + 60 * asked.minutes
    try:
        for kind, size, number in () if asked.table else trials(asked):
            known = {(one["by"], *one["trial"]) for one in records(file)}
            if (answers.OURS, kind, size, number) not in known and monotonic() < ends:
                add(file, (kind, size, number), tried(asked, kind, size, number))
            if number < asked.asv and (answers.ASV, kind, size, number) not in known and monotonic() < ends:
                ours = next(one for one in records(file) if one["trial"] == [kind, size, number])
                add(file, (kind, size, number), answers.asv_continuous(asked, ours))
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same call goes on from here\n")
    sys.stdout.write(table(records(file)))


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="keeps the clone and the answers")
    parser.add_argument("--repository", default="", help="an address or a path that git can clone")
    parser.add_argument("--config", default="", help="the path of asv.conf.json in it, if there are several")
    parser.add_argument("--python", default="", help="the Python to measure on")
    parser.add_argument("--alike", type=int, default=6, help="comparisons without a change")
    parser.add_argument("--injected", type=int, default=3, help="slowdowns of each size")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 10, 30], help="per cent of the case's time")
    parser.add_argument("--commits", type=int, default=0, help="the last commits, each compared with its parent")
    parser.add_argument("--stored", action="store_true", help="ask ci prepare first, as a workflow with results does")
    parser.add_argument("--asv", type=int, default=0, help="give so many trials of each kind to asv continuous, too")
    parser.add_argument("--asv-minutes", type=float, default=15, help="end asv continuous after so many")
    parser.add_argument("--patience", type=float, help="press Ctrl-C after so many minutes")
    parser.add_argument("--budget", type=int, default=10, help="minutes that a comparison measures")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no trial later than after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="only print what is there")
    asked = parser.parse_args()
    asked.folder = asked.folder.absolute()
    asked.clone = asked.folder / "clone"
    asked.base = asked.cloning = None
    if not asked.table:
        began = monotonic()
        if not asked.clone.exists():
            subprocess.run(["git", "clone", "--quiet", asked.repository, str(asked.clone)], check=True)
        asked.cloning = monotonic() - began
        asked.base = git(asked.clone, "rev-parse", "origin/HEAD").strip()
    return asked


def trials(asked):
    """Return the kind, size and number of each trial."""
    found = [("alike", 0, number) for number in range(asked.alike)]
    found += [("slower", size, number) for size in asked.sizes for number in range(asked.injected)]
    return found + [(REAL, 0, number) for number in range(asked.commits)]


def tried(asked, kind, size, number):
    """Make a head, compare it with its base, and return what was answered and the truth."""
    name = f"{kind}-{size}-{number}"
    if kind == REAL:
        if asked.stored:
            mapped(asked)
        listed = git(asked.clone, "rev-list", "--first-parent", f"--max-count={number + 1}", asked.base)
        head = listed.split()[-1]
        git(asked.clone, "checkout", "--quiet", "--detach", "--force", head)
        base = git(asked.clone, "rev-parse", f"{head}^").strip()
        answer = answers.compared(asked, base, head, name)
        return {"cloning": asked.cloning, **answers.judged(answer, set())}
    rng = random.Random(f"{asked.seed} {kind} {size} {number}")
    reached = mapped(asked)
    restored(asked)
    key, path, function, turns = drawn(asked, reached, (size or 10) / 100, rng)
    if kind == "alike":
        alike(asked.clone / path, function)
    else:
        slowed(asked.clone / path, function, turns)
    head = committed(asked.clone, f"{kind} {size}: {function}")
    answer = answers.compared(asked, asked.base, head, name)
    running = {each for each, one in reached.items() if one.get("reason") or function in one["functions"].get(path, ())}
    found = answers.judged(answer, running if size else set(), key, function)
    return {"function": f"{path}:{function}", "case": key, **found}


def mapped(asked):
    """Return what the cases of base run; a first comparison of one round makes that map, if there is none."""
    rng = random.Random(asked.seed)
    for _ in range(TRIES):
        if maps := answers.maps(asked):
            return json.loads(max(maps, key=lambda path: path.stat().st_size).read_text())["cases"]
        restored(asked)
        path, function = any_function(asked.clone, rng)
        alike(asked.clone / path, function)
        head = committed(asked.clone, "the first map")
        quick = ("--rounds", "1", "--no-confirm", "--instructions", "none")
        answers.compared(asked, asked.base, head, "map", quick)
    sys.exit(f"windtunnel compare made no map of what cases run; {asked.folder / 'reports'} says why")


def restored(asked):
    """Check out base."""
    git(asked.clone, "checkout", "--quiet", "--detach", "--force", asked.base)


def add(file, trial, found):
    """Write down the answer to a trial."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"trial": trial, **found}) + "\n")


def records(file):
    """Return what was answered until now."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def table(found):
    """Return a row for each kind of trial and who judged it, as Markdown; minutes and the load are medians."""
    groups = defaultdict(list)
    for one in found:
        groups[one["by"], *one["trial"][:2]].append(one)
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
    ]
    for (by, kind, size), of in groups.items():
        middle = {name: median(one[name] or 0 for one in of) for name in (*answers.COUNTS, "minutes", "cpu", "load")}
        cases = " / ".join(f"{middle[name]:.0f}" if of[0][name] is not None else "–" for name in answers.COUNTS)
        hits = [
            f"{sum(one[name] for one in of)} of {len(of)}" if kind == "slower" and of[0][name] is not None else ""
            for name in ("found", "named")
        ]
        wrong = "read by hand" if kind == REAL else f"{sum(one['false'] > 0 for one in of)} of {len(of)}"
        spent = f"{middle['minutes']:.1f} | {middle['cpu']:.1f} | {middle['load']:.0f}"
        late = f" ({late} not to the end)" if (late := sum(one["overall"] == answers.ENDED for one in of)) else ""
        change = f"{NAMES[kind].format(size)} | {len(of)}{late}"
        lines.append(f"| {by} | {change} | {cases} | {' | '.join(hits)} | {wrong} | {spent} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

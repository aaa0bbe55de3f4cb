"""What ``windtunnel compare`` answers on a real suite: comparisons without a change, and with known slowdowns.

    make study ARGS="studies.real_suites FOLDER --repository https://github.com/networkx/networkx"
    make study ARGS="studies.real_suites FOLDER --repository PATH --config benchmarks/asv.conf.json --python 3.13"
    make study ARGS="studies.real_suites FOLDER --repository PATH --alike 2 --injected 1 --sizes 10 --minutes 60"

Ctrl-C or --minutes end it; the same call goes on from there, and --table only prints what FOLDER/trials.jsonl has. A
head without a change puts the body of a function into ``if True:``, which is other code and runs the same but for a
NOP. A slowdown is a loop at the beginning of a function, so long that a case takes so many per cent longer. The case
and the function are drawn at random among those that benchmarks run.
"""

import argparse
import ast
import json
import random
import resource
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import monotonic

from asv.config import Config

MIN_SECONDS, LOOP_SECONDS = 3e-7, 8e-8
"""The shortest time that a loop adds to a call, and what beginning a loop takes of it."""

TRIES = 40
"""Cases that are drawn until one has such a function."""

DECIDED = {"regressed", "improved", "unchanged"}

PROFILE = """
import cProfile, json, pstats, sys, time
suite, name = sys.argv[1:]
from asv_runner._aux import update_sys_path
from asv_runner.discovery import get_benchmark_from_name
update_sys_path(suite)
case = get_benchmark_from_name(suite, name, extra_params={"repeat": 1, "number": 1, "warmup_time": 0})
def seconds(call, *args):
    begun = time.perf_counter()
    call(*args)
    return time.perf_counter() - begun

def loop(number):
    for _ in range(number):
        pass

if not case.do_setup():
    whole = min(seconds(case.func, *case._current_params) for _ in range(3))
    turn = min(seconds(loop, 10**5) for _ in range(5)) / 10**5
    profile = cProfile.Profile()
    profile.runcall(case.func, *case._current_params)
    stats = pstats.Stats(profile).stats
    rows = [[file, line, calls] for (file, line, _), (_, calls, *_) in stats.items()]
    print("PROFILE", json.dumps([whole, turn, rows]))
"""


def main():
    """Run what is missing until the time ends, and print the table."""
    asked = arguments()
    asked.folder.mkdir(parents=True, exist_ok=True)
    file = asked.folder / "trials.jsonl"
    ends = monotonic() + 60 * asked.minutes
    trials = [("alike", 0, number) for number in range(asked.alike)]
    trials += [("slower", size, number) for number in range(asked.injected) for size in asked.sizes]
    try:
        clone = asked.folder / "clone"
        if not clone.exists() and not asked.table:
            subprocess.run(["git", "clone", "--quiet", asked.repository, str(clone)], check=True)
        for kind, size, number in trials:
            known = {tuple(one["trial"]) for one in records(file)}
            if not asked.table and (kind, size, number) not in known and monotonic() < ends:
                found = tried(asked, clone, kind, size, random.Random(f"{asked.seed} {kind} {size} {number}"))
                with file.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({"trial": (kind, size, number), **found}) + "\n")
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
    parser.add_argument("--budget", type=int, default=10, help="minutes that a comparison measures")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no trial later than after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="only print what is there")
    asked = parser.parse_args()
    asked.folder = asked.folder.absolute()
    return asked


def tried(asked, clone, kind, size, rng):
    """Make a head, compare it with its base, and return what was answered and the truth."""
    base = git(clone, "rev-parse", "origin/HEAD").strip()
    git(clone, "checkout", "--quiet", "--detach", "--force", base)
    maps = sorted(clone.rglob(".windtunnel/compare/*/reach/*.json"), key=lambda path: path.stat().st_mtime)
    reached = json.loads(maps[-1].read_text())["cases"] if maps else {}
    if not reached:  # the first comparison makes the map, whatever changes
        path, name = any_function(clone, rng)
        alike(clone / path, name)
        compared(asked, clone, base, committed(clone, "the first map"))
        if not [*clone.rglob(".windtunnel/compare/*/reach/*.json")]:
            sys.exit(f"windtunnel compare made no map of what cases run; {asked.folder / 'log.txt'} says why")
        return tried(asked, clone, kind, size, rng)
    key, path, name, turns = drawn(asked, clone, reached, (size or 10) / 100, rng)
    if kind == "alike":
        alike(clone / path, name)
    else:
        slowed(clone / path, name, turns)
    answer = compared(asked, clone, base, committed(clone, f"{kind} {size}: {name}"))
    running = {each for each, one in reached.items() if one.get("reason") or name in one["functions"].get(path, ())}
    return {"function": f"{path}:{name}", "case": key, **judged(answer, key, name, running if size else set())}


def judged(answer, key, name, running):
    """Return what of the *answer* is right: *key* was slowed down, in the function *name*, which *running* run."""
    verdict, seconds, processor = answer
    rows = verdict.get("comparisons", [])
    worse = [row for row in rows if row["verdict"] == "regressed"]
    better = [row for row in rows if row["verdict"] == "improved"]
    causes = [each["name"] for row in worse for each in (row.get("cause") or {}).get("functions", ())]
    others = [row for row in worse if row["benchmark"] not in {each.rpartition("-")[0] for each in running}]
    return {
        "reached": (verdict.get("reach") or {}).get("reached", 0),
        "measured": len(rows),
        "decided": sum(row["verdict"] in DECIDED for row in rows),
        "found": bool(running) and any(row["benchmark"] == key.rpartition("-")[0] for row in worse),
        "named": any(each.endswith(name) for each in causes),
        "false": len(others) + len(better),
        "minutes": seconds / 60,
        "cpu": processor / 60,
        "overall": verdict.get("overall", "failed"),
    }


def compared(asked, clone, base, head):
    """Return the verdict of ``windtunnel compare``, and its seconds on the clock and on processors."""
    out = asked.folder / "verdict.json"
    out.unlink(missing_ok=True)
    more = [
        *(("--config", str(clone / asked.config)) if asked.config else ()),
        *(("--python", asked.python) if asked.python else ()),
    ]
    command = [
        "-m",
        "windtunnel.cli",
        "compare",
        base,
        head,
        "--no-gate",
        "--out",
        str(out),
        "--budget",
        str(asked.budget),
    ]
    began, used = monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with (asked.folder / "log.txt").open("a") as log:
        subprocess.run([sys.executable, *command, *more], cwd=clone, stdout=log, stderr=log, check=False)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    verdict = json.loads(out.read_text()) if out.exists() else {}
    return verdict, monotonic() - began, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def drawn(asked, clone, reached, share, rng):
    """Return a case, a function that it runs (file and name), and the turns of a loop that add *share* to its time."""
    python = next(iter(sorted(clone.rglob(".windtunnel/compare/env/head/*/bin/python"))))
    (config,) = [clone / asked.config] if asked.config else [*clone.rglob("asv.conf.json")][:1]
    suite = config.parent / Config.load(str(config)).benchmark_dir
    for key in rng.sample(sorted(reached), min(TRIES, len(reached))):
        if reached[key].get("reason"):
            continue
        benchmark = key.rpartition("-")[0]
        for name in (key, benchmark):  # only a benchmark with parameters has the index in its name
            ran = subprocess.run(
                [python, "-c", PROFILE, str(suite), name],
                cwd=asked.folder,
                capture_output=True,
                text=True,
                timeout=900,
                check=False,
            )
            line = next((line for line in ran.stdout.splitlines() if line.startswith("PROFILE ")), "")
            if line and (found := candidates(clone, reached[key]["functions"], share, *json.loads(line[8:]))):
                return (key, *rng.choice(found))
    sys.exit("no case has a function that can be slowed down")


def candidates(clone, functions, share, whole, turn, rows):
    """Return the functions of the project in a profile that can be slowed down, each with the turns of its loop."""
    found = set()
    for path, names in functions.items():
        if not (clone / path).is_file() or "/benchmarks/" in f"/{path}":
            continue
        plain = [(name, node) for name, node in definitions(clone / path) if name in names]
        for file, line, calls in rows:
            more = share * whole / calls
            for name, node in plain:
                here = file.endswith(Path(path).name) and first_line(node) <= line <= node.lineno
                if here and more >= MIN_SECONDS:
                    found.add((path, name, round((more - LOOP_SECONDS) / turn)))
    return sorted(found)


def definitions(path):
    """Yield the plain functions and methods of a file with their qualified names: no generators, no coroutines."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            ways = (ast.Yield, ast.YieldFrom, ast.Await)
            if isinstance(inner, ast.FunctionDef) and not any(isinstance(each, ways) for each in ast.walk(inner)):
                yield f"{node.name}.{inner.name}" if inner is not node else inner.name, inner


def first_line(node):
    """Return the line at which Python says that a function begins: that of its first decorator."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def any_function(clone, rng):
    """Return a function of any file of the project."""
    listed = git(clone, "ls-files", "*.py").splitlines()
    paths = [path for path in listed if not {"tests", "test", "benchmarks", "docs", "doc"} & {*path.split("/")}]
    known = [
        (path, name) for path in rng.sample(paths, min(TRIES, len(paths))) for name, _ in definitions(clone / path)
    ]
    return rng.choice(known)


def alike(path, name):
    """Put the body of a function into ``if True:``: other code, which runs the same."""
    rewritten(path, name, ["if True:"])


def slowed(path, name, turns):
    """Let a function begin with a loop of so many *turns*."""
    rewritten(path, name, [f"for _slow in range({turns}):", "    pass", "if True:"])


def rewritten(path, name, before):
    """Indent the body of a function below its docstring, after the lines *before*."""
    lines = path.read_text(encoding="utf-8").split("\n")
    (node,) = [node for other, node in definitions(path) if other == name][:1]
    has_text = isinstance(node.body[0], ast.Expr) and isinstance(getattr(node.body[0], "value", None), ast.Constant)
    body = node.body[1:] if has_text and len(node.body) > 1 else node.body
    space, start, end = (
        " " * body[0].col_offset,
        first_line(body[0]) if hasattr(body[0], "decorator_list") else body[0].lineno,
        node.end_lineno,
    )
    texts = {
        at
        for each in ast.walk(node)
        if isinstance(each, ast.Constant | ast.JoinedStr)
        for at in range(each.lineno + 1, each.end_lineno + 1)
    }
    inside = [
        line if not line.strip() or at in texts else f"    {line}"
        for at, line in enumerate(lines[start - 1 : end], start)
    ]
    lines[start - 1 : end] = [*(space + line for line in before), *inside]
    path.write_text("\n".join(lines), encoding="utf-8")
    ast.parse("\n".join(lines))


def committed(clone, message):
    """Commit what differs and return the commit."""
    git(
        clone,
        "-c",
        "user.name=study",
        "-c",
        "user.email=study@localhost",
        "commit",
        "--quiet",
        "--no-verify",
        "-am",
        message,
    )
    return git(clone, "rev-parse", "HEAD").strip()


def git(clone, *call):
    """Return what git prints."""
    return subprocess.run(["git", *call], cwd=clone, check=True, capture_output=True, text=True).stdout


def records(file):
    """Return what was answered until now."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def table(found):
    """Return a row for each kind of trial, as Markdown; minutes are medians."""
    groups = defaultdict(list)
    for one in found:
        groups[tuple(one["trial"][:2])].append(one)
    lines = [
        "| change | trials | reached / measured / decided | found | named | false | minutes | CPU minutes |",
        "|---" * 8 + "|",
    ]
    for (kind, size), of in groups.items():
        middle = {
            name: median(one[name] for one in of) for name in ("reached", "measured", "decided", "minutes", "cpu")
        }
        cases = " / ".join(f"{middle[name]:.0f}" for name in ("reached", "measured", "decided"))
        hits = [
            f"{sum(one[name] for one in of)} of {len(of)}" if kind == "slower" else "" for name in ("found", "named")
        ]
        wrong = f"{sum(one['false'] > 0 for one in of)} of {len(of)}"
        change = f"+{size} %" if kind == "slower" else "none"
        spent = f"{middle['minutes']:.1f} | {middle['cpu']:.1f}"
        lines.append(f"| {change} | {len(of)} | {cases} | {' | '.join(hits)} | {wrong} | {spent} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

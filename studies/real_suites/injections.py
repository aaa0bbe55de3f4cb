"""Draws a case and a function of it at random, and changes the function: the same work, or a loop before it."""

import ast
import json
import subprocess
import sys
from pathlib import Path

from asv.config import Config

MIN_SECONDS, LOOP_SECONDS = 3e-7, 8e-8
"""The shortest time that a loop adds to a call, and what beginning a loop takes of it."""

TRIES = 40
"""Cases that are drawn until one has such a function."""

NOT_MEASURED = {"tests", "test", "benchmarks", "docs", "doc", "examples", "tasks", "tools", "scripts"}
"""Folders of files that no benchmark runs."""

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
    whole = min((case.do_setup(), seconds(case.func, *case._current_params))[1] for _ in range(3))
    turn = min(seconds(loop, 10**5) for _ in range(5)) / 10**5
    profile = cProfile.Profile()
    case.do_setup()  # as before each sample: a case may time what is cold
    profile.runcall(case.func, *case._current_params)
    stats = pstats.Stats(profile).stats
    rows = [[file, line, calls] for (file, line, _), (_, calls, *_) in stats.items()]
    print("PROFILE", json.dumps([whole, turn, rows]))
"""


def work_folders(asked):
    """Return the folders of a comparison's environments: in the project, or beside a suite that is elsewhere."""
    places = dict.fromkeys((asked.clone, (asked.clone / asked.config).parent))
    return [folder for place in places for folder in sorted(place.rglob(".windtunnel/compare")) if folder.is_dir()]


def environment(asked):
    """Return the Python of base and the folder of the suite."""
    python = next(python for folder in work_folders(asked) for python in sorted(folder.glob("env/base/*/bin/python")))
    config = asked.clone / (asked.config or git(asked.clone, "ls-files", "*asv.conf.json").splitlines()[0])
    return python, config.parent / Config.load(str(config)).benchmark_dir


def drawn(asked, reached, share, rng):
    """Return a case, a function that it runs (file and name), and the turns of a loop that add *share* to its time."""
    clone = asked.clone
    python, suite = environment(asked)
    timed = [key for key in sorted(reached) if key.rpartition("-")[0].rpartition(".")[2].startswith("time_")]
    for key in rng.sample(timed, min(TRIES, len(timed))):
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
        installed = "/".join(part for part in Path(path).parts[-2:] if part not in {"src", "lib"})
        for file, line, calls in rows:
            more = share * whole / calls
            for name, node in plain:
                here = f"/{file}".endswith(f"/{installed}") and first_line(node) <= line <= node.lineno
                if here and more >= MIN_SECONDS:
                    found.add((path, name, round((more - LOOP_SECONDS) / turn)))
    return sorted(found)


def definitions(path):
    """Yield the plain functions and methods of a file with their qualified names: no generators, no coroutines.

    The body of each begins a line.
    """
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for node in ast.parse(text).body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            ways = (ast.Yield, ast.YieldFrom, ast.Await)
            if not isinstance(inner, ast.FunctionDef) or any(isinstance(each, ways) for each in ast.walk(inner)):
                continue
            first = body_of(inner)[0]
            if not lines[first_line(first) - 1][: first.col_offset].strip():
                yield f"{node.name}.{inner.name}" if inner is not node else inner.name, inner


def body_of(node):
    """Return the statements of a function below its docstring."""
    has_text = isinstance(node.body[0], ast.Expr) and isinstance(getattr(node.body[0], "value", None), ast.Constant)
    return node.body[1:] if has_text and len(node.body) > 1 else node.body


def first_line(node):
    """Return the line at which a statement begins: of a function, that of its first decorator, as Python says it."""
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


def any_function(clone, rng):
    """Return a function of any file in a folder of the project."""
    listed = git(clone, "ls-files", "*/*.py").splitlines()
    paths = [path for path in listed if not NOT_MEASURED & {*path.split("/")}]
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
    body = body_of(node)
    space, start, end = (
        " " * body[0].col_offset,
        first_line(body[0]),
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

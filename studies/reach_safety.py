"""Does a case that the reach map leaves out run the changed function after all? Every function of a real project.

    make study ARGS="studies.reach_safety FOLDER"                  FOLDER is that of studies.real_suites
    make study ARGS="studies.reach_safety FOLDER --mutations 200 --calls 20"

A function is changed by a line at its beginning, which takes its number down; without it, its result is the same. So
one copy of the project has the lines of all functions, and each case of the suite runs once in it, with more calls
than the map saw and another hash seed. For each function, the tool says which cases a change of it alone reaches, by
the map that a comparison has made. A case that it leaves out and that runs the function is a hole: its output or its
count could change unseen.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

from studies.real_suites.answers import maps
from studies.real_suites.injections import NOT_MEASURED, environment, first_line, git
from windtunnel.compare.changed_code import find_changed_code
from windtunnel.compare.reach import known_cases
from windtunnel.formats import decode
from windtunnel.model.reach_map import ReachMap

LINE = '__import__("builtins")._ran({})'
"""What a changed function runs first."""

RUN = """
import builtins, json, os, signal, sys, time
suite, calls, keys = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
ran = set()
builtins._ran = ran.add
from asv_runner._aux import update_sys_path
from asv_runner.discovery import get_benchmark_from_name
update_sys_path(suite)

def find(key):
    for name in (key, key.rpartition("-")[0]):  # only a benchmark with parameters has the index in its name
        try:
            return get_benchmark_from_name(suite, name)
        except Exception:
            continue

def run(key):
    case = find(key)
    if case.setup_cache_key is not None:
        case.insert_param(case.do_setup_cache())
    if not case.do_setup():
        ends = time.monotonic() + 5
        for number in range(calls):
            case.func(*case._current_params)
            if time.monotonic() > ends:
                break
        case.do_teardown()

find(keys[0])
for key in keys:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(120)
        try:
            run(key)
            state = "ran"
        except BaseException as error:
            state = repr(error)[:200]
        with open(writing, "w") as pipe:
            json.dump([key, state, sorted(ran)], pipe)
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    print("CASE", text or json.dumps([key, "ended", []]), flush=True)
"""


def main():
    """Print what the map leaves out, and what of it runs."""
    asked = arguments()
    reached = decode(max(maps(asked), key=lambda path: path.stat().st_size).read_bytes(), ReachMap, "the map")
    git(asked.clone, "checkout", "--quiet", "--detach", "--force", "origin/HEAD")
    tree = asked.folder / "marked"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    packages = {path.parts[: 2 if path.parts[0] in {"src", "lib"} else 1] for path in project_files(reached)}
    functions = []
    for parts in sorted(packages):
        ignored = shutil.ignore_patterns("tests", "*.pyc")
        shutil.copytree(asked.clone.joinpath(*parts), tree.joinpath(*parts), ignore=ignored)
        for path in sorted(tree.joinpath(*parts).rglob("*.py")):
            functions += [(path.relative_to(tree).as_posix(), name) for name in marked(path, len(functions))]
    roots = sorted({str(tree / parts[0]) if len(parts) == 2 else str(tree) for parts in packages})
    cases = ran(asked, reached, os.pathsep.join(roots))
    rng = random.Random(asked.seed)
    chosen = sorted(rng.sample(range(len(functions)), min(asked.mutations or len(functions), len(functions))))
    left_out = holes = seen = pairs = 0
    for number in chosen:
        path, name = functions[number]
        source = (asked.clone / path).read_text(encoding="utf-8")
        code = find_changed_code([path], {path: source}.get, {path: one_marked(source, name)}.get, lambda _: True)
        assert code.functions, f"{path}: {name} does not differ"
        held = known_cases(reached, code, ()).cases
        for key, (state, numbers) in cases.items():
            if state != "ran":
                continue
            if key in held:
                left_out += 1
                if number in numbers:
                    holes += 1
                    sys.stdout.write(f"hole: {key} runs {path}:{name}\n")
            else:
                pairs, seen = pairs + 1, seen + (number in numbers)
    failed = {key: state for key, (state, _) in cases.items() if state != "ran"}
    sys.stdout.write(
        f"{len(chosen)} of {len(functions)} functions changed, {len(cases) - len(failed)} of {len(cases)} cases run: "
        f"of {left_out} pairs left out, {holes} ran the function; of {pairs} reached, {seen} did\n"
    )
    for key, state in list(failed.items())[:5]:
        sys.stdout.write(f"not run: {key}: {state}\n")


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of studies.real_suites, with a clone and a map")
    parser.add_argument("--config", default="", help="the path of asv.conf.json in it, if there are several")
    parser.add_argument("--mutations", type=int, default=0, help="functions to draw (default: all)")
    parser.add_argument("--calls", type=int, default=20, help="calls of each case, for at most 5 s")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asked.folder = asked.folder.absolute()
    asked.clone = asked.folder / "clone"
    return asked


def project_files(reached):
    """Yield the files of the project, without its suite, that any case or import runs."""
    every = [*reached.imports.values(), *(one.functions for one in reached.cases.values())]
    for path in {path for each in every for path in each}:
        if not NOT_MEASURED & {*(parts := Path(path).parts)} and len(parts) > 1 and "benchmarks" not in parts[0]:
            yield Path(path)


def places(source):
    """Return the name of each function of *source* that can be marked, where its body begins, and its indentation."""
    found, lines = [], source.split("\n")

    def visit(node, prefix):
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{prefix}{each.name}"
                body = each.body[1:] if ast.get_docstring(each, clean=False) is not None else each.body
                if body and not lines[first_line(body[0]) - 1][: body[0].col_offset].strip():
                    found.append((name, first_line(body[0]), body[0].col_offset))
                visit(each, f"{name}.")
            else:
                visit(each, f"{prefix}{each.name}." if isinstance(each, ast.ClassDef) else prefix)

    visit(ast.parse(source), "")
    return found


def marked(path, first):
    """Mark all functions in a file with numbers from *first* on; return their names."""
    source = path.read_text(encoding="utf-8")
    found = places(source)
    lines = source.split("\n")
    for number, (_, line, column) in sorted(enumerate(found, first), key=lambda each: -each[1][1]):
        lines.insert(line - 1, " " * column + LINE.format(number))
    path.write_text("\n".join(lines), encoding="utf-8")
    ast.parse("\n".join(lines))
    return [f"{name}@{line}" for name, line, _ in found]


def one_marked(source, name):
    """Return *source* with the function *name* alone marked."""
    _, line, column = next(one for one in places(source) if f"{one[0]}@{one[1]}" == name)
    lines = source.split("\n")
    lines.insert(line - 1, " " * column + LINE.format(0))
    return "\n".join(lines)


def ran(asked, reached, path):
    """Return for each case how it ended and the numbers of the functions that it ran, its import among them."""
    python, suite = environment(asked)
    modules = {}
    for key, case in sorted(reached.cases.items()):
        modules.setdefault(case.module, []).append(key)
    env = {name: value for name, value in os.environ.items() if not re.match("PYTHON", name)}
    env |= {"PYTHONPATH": path, "PYTHONHASHSEED": str(asked.seed), "PYTHONDONTWRITEBYTECODE": "1"}
    found = {}
    for keys in modules.values():
        command = [python, "-c", RUN, str(suite), str(asked.calls), json.dumps(keys)]
        done = subprocess.run(command, cwd=asked.folder, env=env, capture_output=True, text=True, check=False)
        lines = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("CASE ")]
        found |= {key: (state, set(numbers)) for key, state, numbers in lines}
    return found


if __name__ == "__main__":
    main()

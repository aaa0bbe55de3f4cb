"""Does the report name the guilty function? Profiles known regressions and ranks their functions.

    make study ARGS="studies.known_regressions"                                    print the tables
    make study ARGS="studies.known_regressions --half development"                 what the ranking is tuned on

`known_regressions.toml` lists changes of one function in packages from the package index. Each is profiled before and
after, as `compare` profiles a confirmed change; the profiles are kept in a folder, so that ranking again takes seconds.
"""

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import msgspec
from uv import find_uv_bin

from windtunnel.asv.engine_session import engine_environment
from windtunnel.asv.function_profiler import profile_case
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.compare.cause import find_cause, unit_of
from windtunnel.compare.touched_functions import TouchedFile, extents, touched_files
from windtunnel.model.schedule import CaseProfile

DATA = Path(__file__).with_suffix(".toml")
HALVES = ("development", "held out")
FOLDER = Path(".windtunnel/known-regressions")
BENCHMARK = "time_case"
OTHERS = 5
MIN_CHANGE = 0.02
"""A change of less than this is no regression."""


class Regression(msgspec.Struct, frozen=True):
    """A change of one function."""

    package: str
    file: str
    function: str
    kind: str
    old: str
    new: str
    setup: str
    run: str


class Measured(msgspec.Struct, frozen=True):
    """The profiles of a regression before and after it."""

    base: CaseProfile
    head: CaseProfile
    seconds: float
    """How long both took."""


class Interpreter:
    """The Python of an environment, as the engine uses it."""

    env_vars: ClassVar = {}

    def __init__(self, python):
        """Use the Python at the path *python*."""
        self._python = python

    def run(self, arguments, *, return_popen, env, cwd):
        """Start it."""
        assert return_popen
        return subprocess.Popen(
            [self._python, *arguments],
            env=env,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


def main():
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="3.13", help="the version of Python to profile with")
    parser.add_argument("--half", choices=HALVES, help="only this half")
    parser.add_argument("--only", type=int, nargs="*", help="only the regressions with these numbers, from 1 on")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="environment and profiles")
    parser.add_argument("--verbose", action="store_true", help="print the causes")
    options = parser.parse_args()
    listed = msgspec.convert(msgspec.toml.decode(DATA.read_bytes())["regression"], list[Regression])
    chosen = [
        (number, one)
        for number, one in enumerate(listed, 1)
        if (not options.only or number in options.only) and (not options.half or half_of(number) == options.half)
    ]
    folder = options.folder.resolve() / options.python
    python = environment(folder, options.python, sorted({one.package for one in listed}))
    rows = []
    for number, one in chosen:
        source = next((folder / "venv/lib").glob("python*/site-packages")) / one.file
        measured = measure(one, number, folder, python, source)
        rows.append(Row(number, one, measured, source))
        sys.stderr.write(f"{rows[-1]}\n")
        if options.verbose:
            for line in rows[-1].causes["diff"].sentences():
                sys.stderr.write(f"    {line}\n")
    sys.stdout.write("\n\n".join(tables(rows)) + "\n")


def half_of(number):
    """The half of a regression: those with an odd number are for development."""
    return HALVES[(number + 1) % 2]


def environment(folder, version, packages):
    """Returns the Python of an environment with *packages*; it is created once."""
    python = folder / "venv/bin/python"
    if not python.exists():
        uv, variables = find_uv_bin(), engine_environment(os.environ)
        for arguments in (
            ("venv", "--quiet", "--python", version, str(folder / "venv")),
            ("pip", "install", "--quiet", "--python", str(python), "asv_runner", *packages),
        ):
            subprocess.run([uv, *arguments], env=variables, check=True)
    return str(python)


def mutated(one, text):
    """Returns the source *text* with the regression in it."""
    if one.function not in {name for name, _ in extents(text)}:
        sys.exit(f"{one.package}: {one.file} has no function {one.function}")
    lines = text.splitlines(keepends=True)
    for name, extent in extents(text):
        first, end = extent.start - 1, extent.stop - 1
        body = "".join(lines[first:end])
        if name == one.function and body.count(one.old) == 1:
            return "".join([*lines[:first], body.replace(one.old, one.new), *lines[end:]])
    sys.exit(f"{one.package}: {one.function} in {one.file} does not hold the old text once")


def measure(one, number, folder, python, source):
    """Returns the profiles of a regression; those of an earlier run if there are any."""
    kept = folder / "profiles" / f"{number}.json"
    if kept.exists():
        return msgspec.json.decode(kept.read_bytes(), type=Measured)
    work = folder / f"work-{number}"
    shutil.rmtree(work, ignore_errors=True)
    changed = work / "head" / one.file
    top = Path(one.file).parts[0]
    shutil.copytree(source.parents[len(Path(one.file).parts) - 2], work / "head" / top)
    changed.write_text(mutated(one, source.read_text(encoding="utf-8")), encoding="utf-8")
    return profile_both(one, work, python, kept, ("", str(work / "head")))


def profile_both(one, work, python, kept, paths):
    """Returns the profiles of the benchmark of *one* with the package of each of *paths*; writes them to *kept*."""
    suite = work / "benchmarks"
    suite.mkdir(parents=True)
    (suite / "__init__.py").touch()
    body = one.run.replace("\n", "\n    ")
    (suite / "bench.py").write_text(f"{one.setup}\n\n\ndef {BENCHMARK}():\n    {body}\n", encoding="utf-8")
    entry = {"name": f"bench.{BENCHMARK}", "params": [], "timeout": 60.0}
    profiles = []
    start = time.perf_counter()
    for path in paths:
        os.environ["ASV_PYTHONPATH"] = path
        with in_every_benchmark():
            profiles.append(profile_case(Interpreter(python), str(suite), entry, 0, None))
    measured = Measured(*profiles, seconds=time.perf_counter() - start)
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(msgspec.json.encode(measured))
    return measured


def touched_by(one, source, measured):
    """Returns what the report knows, by name: the diff, larger ones that change more functions, and nothing."""
    base = source.read_text(encoding="utf-8")
    head = mutated(one, base)
    path = f"src/{one.file}"
    sides = (text.splitlines(keepends=True) for text in (base, head))
    hunks = "".join(difflib.unified_diff(*sides, f"a/{path}", f"b/{path}", n=0))
    narrow = {path: next(touched_files(f"diff --git {path}\n{hunks}", lambda _: base, lambda _: head))}
    every = TouchedFile(
        base_file=path,
        head_file=path,
        base_functions=frozenset(name for name, _ in extents(base)),
        head_functions=frozenset(name for name, _ in extents(head)),
    )
    top = Path(one.file).parts[0]
    return {"diff": narrow, "more": larger(narrow, top, (one.function,), measured), "file": {path: every}, "none": None}


def larger(diff, package, guilty, measured):
    """Returns *diff* with further functions: those of the *package* that cost most beside the *guilty* ones."""
    costs = {}
    for function in measured.base.functions:
        if function.file.startswith(f"{package}/") and function.name not in guilty:
            costs[function.file, function.name] = function.instructions or function.seconds or 0.0
    found = dict(diff)
    for file, name in sorted(costs, key=costs.get, reverse=True)[:OTHERS]:
        path = next((path for path in found if path.endswith(f"/{file}")), file)
        before = found.get(path) or TouchedFile(base_file=path, head_file=path)
        found[path] = replace(
            before, base_functions=before.base_functions | {name}, head_functions=before.head_functions | {name}
        )
    return found


class Row:
    """A regression and the place of the guilty function in its causes."""

    def __init__(self, number, one, measured, source):
        """Rank its functions with each kind of knowledge."""
        self.number, self.one, self.measured = number, one, measured
        known = touched_by(one, source, measured)
        self.causes = {name: find_cause(measured.base, measured.head, known[name]) for name in KNOWLEDGE}
        self.places = {name: self._place(cause) for name, cause in self.causes.items()}

    def _place(self, cause):
        """The place of the guilty function, from 1 on; 0 if it is not named."""
        return next((place for place, each in enumerate(cause.functions, 1) if each.name == self.one.function), 0)

    @property
    def change(self):
        """The change of the whole cost."""
        return self.causes["diff"].relative_change or 0.0

    def __str__(self):
        """Returns a line for the terminal."""
        unit = "?" if self.measured.base.reason else unit_of(self.measured.base)
        name = f"{self.number:3} {self.one.function:45}"
        return f"{name} {self.change:+8.1%} {unit} {self.places} {self.measured.seconds:.1f} s"


KNOWLEDGE = {
    "diff": "the diff of the regression",
    "more": f"a diff that also changes the {OTHERS} costliest other functions of the package",
    "file": "a diff that changes every function of the file",
    "none": "no diff",
}


def tables(rows):
    """Yields the Markdown of the page."""
    valid = [row for row in rows if row.change >= MIN_CHANGE]
    yield table(
        ("the report knows", "half", "regressions", "guilty function first", "among three"),
        [
            (KNOWLEDGE[name], half, str(len(some)), share(some, name, 1), share(some, name, 3))
            for name in KNOWLEDGE
            for half in HALVES
            if (some := [row for row in valid if half_of(row.number) == half])
        ],
    )
    if excluded := [row for row in rows if row not in valid]:
        names = ", ".join(f"`{row.one.function}` ({row.change:+.1%})" for row in excluded)
        yield f"Not counted, because the profile shows less than {MIN_CHANGE:.0%}: {names}."
    yield table(
        ("", "package", "function", "what changes", "cost", "place: diff, larger diff, file, no diff"),
        [
            (
                str(row.number),
                row.one.package,
                f"`{row.one.function}`",
                row.one.kind,
                f"{row.change:+.0%}",
                ", ".join(str(place or "–") for place in row.places.values()),
            )
            for row in rows
        ],
    )


def table(header, rows):
    """Returns a table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def share(rows, name, most):
    """The share of *rows* whose guilty function is among the first *most*."""
    found = sum(1 <= row.places[name] <= most for row in rows)
    return f"{found / len(rows):.0%} ({found})"


if __name__ == "__main__":
    main()

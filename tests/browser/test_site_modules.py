"""The site's own tests and types, which run in Node."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "site"
BIN = Path(sys.executable).parent
UPLOT = {  # uPlot 1.6.32 as its authors publish it
    "LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
    "uPlot.min.d.ts": "af44374f6e808be4f7f3fa5888b9c7574dca9f8a15a66d54b6763535802c8080",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "uPlot.min.js": "073f022c867cb9c40f0be28f5d680830857a5b3a04082c2473880c8328a12e04",
}


def run(*command, where=SITE):
    """Run a command of the development environment; return what it says, which is shown when it fails."""
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_modules_of_the_site_pass_their_tests():
    """node --test, beside the modules."""
    said = run("node", "--test")
    assert int(re.search(r"pass (\d+)", said)[1]) >= 50


def test_the_types_of_the_site_hold(tmp_path):
    """tsc --checkJs --strict over every module; the compiler is the one that site/package-lock.json pins."""
    for name in ("package.json", "package-lock.json", "tsconfig.json"):
        shutil.copy(SITE / name, tmp_path)
    (tmp_path / "page").symlink_to(SITE / "page")
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    if done.returncode and not os.environ.get("CI"):
        pytest.skip(f"the TypeScript compiler cannot be had here: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    run(tmp_path / "node_modules" / ".bin" / "tsc", "--project", tmp_path, where=tmp_path)


def test_vendored_files_are_their_authors(tmp_path):
    """uPlot is kept as published: anyone can compare the hashes."""
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (SITE / "page/vendor/uplot").iterdir()
    }
    assert found == UPLOT


def test_only_the_door_touches_the_document():
    """Nothing on the page can turn text into markup or code: no such call is anywhere."""
    ways = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.on\w+ =|style=")
    modules = [path for path in SITE.glob("page/**/*.js") if "vendor" not in path.parts]
    assert not [
        f"{path.name}: {line}" for path in modules for line in path.read_text().splitlines() if ways.search(line)
    ]


def test_models_know_no_document():
    """What is shown can be tested without a browser."""
    pure = [SITE / "page" / name for name in ("format.js", "data.js", "reading.js", "columns.js", "runs.js")]
    pure += (SITE / "page" / "models").glob("*.js")
    assert not [path.name for path in pure if re.search(r"\bwindow\b|\bdocument\.(?!version)", path.read_text())]


def test_modules_are_short():
    """One idea each: at most 200 lines."""
    modules = [path for path in SITE.glob("page/**/*.js") if "vendor" not in path.parts]
    assert not [path.name for path in modules if len(path.read_text().splitlines()) > 200 and path.name != "types.js"]


def test_no_module_imports_what_imports_it():
    """Each can be read without the ones above it; imports that wait until they are needed count too."""
    paths = [path for path in (SITE / "page").rglob("*.js") if "vendor" not in path.parts]
    comment, imported = re.compile(r"(?s:/\*.*?\*/)|//.*"), re.compile(r"""\b(?:from |import\()"(\.[^"]+)\"""")
    below = {
        path: [
            (path.parent / each).resolve()
            for each in imported.findall(comment.sub("", path.read_text()))
            if "vendor" not in each
        ]
        for path in paths
    }
    order = tuple(TopologicalSorter(below).static_order())  # a CycleError names the cycle
    assert set(order) == set(paths)

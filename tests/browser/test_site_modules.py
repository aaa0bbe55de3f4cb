"""The site's own tests and types, which run in Node."""

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


def run(*command, where=SITE):
    """Run a command of the development environment; return what it says, which is shown when it fails."""
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_modules_of_the_site_pass_their_tests():
    """node --test, beside the modules."""
    assert int(re.search(r"pass (\d+)", run("node", "--test"))[1]) >= 50


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


def test_only_the_door_touches_the_document():
    """Nothing on the page can turn text into markup or code: no such call is anywhere."""
    ways = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.on\w+ =|style=")
    modules = [*SITE.glob("page/**/*.js")]
    assert not [
        f"{path.name}: {line}" for path in modules for line in path.read_text().splitlines() if ways.search(line)
    ]


def test_models_know_no_document():
    """What is shown can be tested without a browser."""
    pure = [
        SITE / "page" / name for name in ("format.js", "words.js", "data.js", "reading.js", "columns.js", "runs.js")
    ]
    pure += (SITE / "page" / "models").glob("*.js")
    assert not [path.name for path in pure if re.search(r"\bwindow\b|\bdocument\.(?!version)", path.read_text())]


def test_modules_are_short():
    """One idea each: at most 200 lines."""
    modules = [*SITE.glob("page/**/*.js")]
    assert not [path.name for path in modules if len(path.read_text().splitlines()) > 200 and path.name != "types.js"]


def test_no_module_imports_what_imports_it():
    """Each can be read without the ones above it; imports that wait until they are needed count too."""
    paths = [*(SITE / "page").rglob("*.js")]
    comment, imported = re.compile(r"(?s:/\*.*?\*/)|//.*"), re.compile(r"""\b(?:from |import\()"(\.[^"]+)\"""")
    below = {
        path: [(path.parent / each).resolve() for each in imported.findall(comment.sub("", path.read_text()))]
        for path in paths
    }
    order = tuple(TopologicalSorter(below).static_order())  # a CycleError names the cycle
    assert set(order) == set(paths)

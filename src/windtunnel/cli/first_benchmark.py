"""What ``windtunnel init`` writes into a project without any benchmark: one that runs, in the style of its tests."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from windtunnel.asv.configuration import NAMES
from windtunnel.errors import ConfigurationError
from windtunnel.pytest_suite.project import dependency_files, find_root, names_plugin, project_name, read_text

PYTEST = '''"""Benchmarks: Windtunnel measures what tests pass to the fixture ``benchmark``."""

import subprocess
import sys

import pytest

pytest.importorskip("pytest_benchmark")  # test runs without the plugin skip this file


def test_import(benchmark):
    """How long ``import {package}`` takes in a new process; -I leaves out the current folder."""
    benchmark(subprocess.run, [sys.executable, "-I", "-c", "import {package}"], check=True)


# The usual form: def test_parse(benchmark): benchmark({package}.parse, "text")
'''

ASV = '''"""Benchmarks: asv and Windtunnel measure functions whose names begin with ``time_``."""


def timeraw_import():
    """How long this code takes in a new process."""
    return "import {package}"


# The usual form: def time_parse(): {package}.parse("text")
'''

GROUP = 'bench = ["pytest-benchmark"]\n'
GROUPS = re.compile(r"^\[dependency-groups\][^\n]*\n", re.MULTILINE)


def first_benchmark(here: Path) -> Mapping[Path, str]:
    """Return the files of a first benchmark of the project around *here*, with their contents; none without a package.

    It is a test if the project has pytest, else a benchmark of asv. Raises ConfigurationError.
    """
    root = find_root(here)
    package = root and _package(root)
    if not root or not package:
        return {}
    if any(re.search(r"\bpytest\b", read_text(path)) for path in dependency_files(root)):
        tests = next((root / name for name in ("tests", "test") if (root / name).is_dir()), root / "tests")
        files = {tests / "test_benchmarks.py": PYTEST.format(package=package)}
        if not names_plugin(root):
            files[root / "pyproject.toml"] = _with_group(root / "pyproject.toml")
    else:
        folders = {f"{name}_dir": f".windtunnel/{name}" for name in ("env", "results", "html")}
        keys = {"version": 1, "project": project_name(root), "repo": ".", "environment_type": "virtualenv", **folders}
        files = {
            root / NAMES[0]: json.dumps(keys, indent=4) + "\n",
            root / "benchmarks" / "__init__.py": "",
            root / "benchmarks" / "benchmarks.py": ASV.format(package=package),
            root / ".windtunnel" / ".gitignore": "*\n",
        }
    taken = [path for path in files if path.exists() and path.name not in {"pyproject.toml", ".gitignore"}]
    return {} if taken else files


def _package(root: Path) -> str:
    """Return the name under which the project at *root* is imported; empty if none is found."""
    wanted = re.sub(r"\W", "_", project_name(root))
    for name in dict.fromkeys((wanted, wanted.lower(), wanted.lower().removeprefix("python_"))):
        for folder in (root / "src", root / "lib", root):
            if (folder / name / "__init__.py").is_file() or (folder / f"{name}.py").is_file():
                return name
    return ""


def _with_group(pyproject: Path) -> str:
    """Return the text of *pyproject* with a dependency group for benchmarks; raises ConfigurationError."""
    text = read_text(pyproject)
    if GROUPS.search(text):
        new = GROUPS.sub(lambda found: found[0] + GROUP, text, count=1)
    else:
        new = f"{text.rstrip()}\n\n[dependency-groups]\n{GROUP}".lstrip()
    try:
        tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        raise ConfigurationError(
            f"{pyproject}: pytest-benchmark cannot be added as the dependency group 'bench'; add it to a group, and "
            "run windtunnel init again"
        ) from None
    return new

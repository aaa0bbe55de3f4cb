"""Writes the pytest benchmarks of a project as a suite that asv's engine runs, and returns its configuration.

A suite is, to the rest of the tool, a `Configuration`: the file that the engine reads, and a folder of modules in which
asv_runner finds benchmarks. Here a module for each file of tests asks `bridge` for what pytest collects there.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel import asv
from windtunnel.asv.configuration import Configuration, parse
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.pytest_suite.project import (
    find_benchmark_files,
    find_root,
    kept_options,
    names_plugin,
    project_name,
    read_project_settings,
    read_pytest_options,
    read_text,
    words,
)
from windtunnel.pytest_suite.requirements import find_requirements

FOLDER = ".windtunnel/pytest"
"""What is written, in the project."""

CONFIGURATION = "asv.conf.json"

SUITE = "windtunnel_pytest"
"""The folder of the modules; asv_runner imports it under this name."""

SOURCES = {"__init__.py": "pytest_bridge.py", "_fixture.py": "pytest_fixture.py"}
"""Files of the written suite, and what they are in `windtunnel.asv`."""

OWN, WRITTEN = "windtunnel.asv.pytest_", f"{SUITE}._"
"""How names of their modules begin here, and there."""

MODULE = '''"""Written by Windtunnel: the benchmarks in {path}, whose digest is {digest}."""

from {suite} import collect as _collect

globals().update(_collect(__name__, {path!r}))
'''

BUILD = "/usr/bin/env uv build --wheel --python {env_dir}/bin/python --out-dir {build_cache_dir} {build_dir}"
"""Builds the wheel of a commit. asv ends a command that prints nothing for long, so the build is not quiet."""

INSTALL = (
    "/usr/bin/env uv pip install --quiet --python {{env_dir}}/bin/python --compile-bytecode "
    "--reinstall-package {name} -r {requirements} {{wheel_file}}{extras}"
)
"""Installs it with what the tests need, in one resolution."""

UNINSTALL = "return-code=any /usr/bin/env uv pip uninstall --quiet --python {{env_dir}}/bin/python {name}"


def find_pytest_suite(start: Path, env: Mapping[str, str], *, chosen: bool = False) -> Configuration | None:
    """Return the suite of pytest benchmarks of the project around *start*; None where there is none.

    With *chosen*, only if the settings of the project choose pytest. Raises ConfigurationError and UsageError.
    """
    root = find_root(start)
    if root is None:
        return None
    kind = read_project_settings(root).suite
    if kind != "pytest" and (chosen or kind == "asv" or not names_plugin(root)):
        return None
    return write_suite(root, Repository.at(root, env))


def root_of(path: Path) -> Path | None:
    """Return the project whose pytest suite has its configuration at *path*: a pyproject.toml, or what is written."""
    if path.name == "pyproject.toml":
        return path.parent
    return path.parents[2] if path.as_posix().endswith(f"/{FOLDER}/{CONFIGURATION}") else None


def write_suite(root: Path, repository: Repository) -> Configuration:
    """Write the suite of the project at *root*; return its configuration."""
    settings, options = read_project_settings(root), read_pytest_options(root)
    tests = find_benchmark_files(repository, root, words(options.get("python_functions")))
    texts = "\n".join(map(read_text, _with_conftests(root, tests)))
    requirements = find_requirements(root, settings.suite_requirements, texts)
    folder = root / FOLDER
    _write(root / ".windtunnel" / ".gitignore", "*\n")
    _write(folder / "requirements.txt", "\n".join((*requirements.lines, "")))
    names = {_module(path.relative_to(root)): path.relative_to(root).as_posix() for path in tests}
    kept = kept_options(words(options.get("addopts")))
    project = {
        "root": str(root),
        "files": {module.replace("/", "."): path for module, path in names.items()},
        "options": kept if any("import-mode" in each for each in kept) else [*kept, "--import-mode=append"],
        "pythonpath": words(options.get("pythonpath")),
    }
    _write(folder / SUITE / "project.json", json.dumps(project, indent=1))
    written = {f"{path}.py": _module_text(root, file) for path, file in names.items()}
    packages = (parent for path in names for parent in Path(path).parents if parent != Path())
    written |= {f"{parent.as_posix()}/__init__.py": "" for parent in packages}
    for name, source in SOURCES.items():
        written[name] = Path(asv.__file__).with_name(source).read_text("utf-8").replace(OWN, WRITTEN)
    for name, text in written.items():
        _write(folder / SUITE / name, text)
    for path in (folder / SUITE).rglob("*.py"):
        if path.relative_to(folder / SUITE).as_posix() not in written:
            path.unlink()
    name = project_name(root)
    extras = f"[{','.join(requirements.extras)}]" if requirements.extras else ""
    keys = {
        "version": 1,
        "project": name,
        "repo": str(repository.root),
        "repo_subdir": "" if root == repository.root else root.relative_to(repository.root).as_posix(),
        "branches": ["HEAD"],
        "environment_type": "virtualenv",
        "benchmark_dir": str(folder / SUITE),
        "results_dir": str(root / ".windtunnel" / "results"),
        "env_dir": str(root / ".windtunnel" / "env"),
        "html_dir": str(root / ".windtunnel" / "html"),
        "build_command": [*settings.suite_build, BUILD],
        "install_command": [INSTALL.format(name=name, requirements=folder / "requirements.txt", extras=extras)],
        "uninstall_command": [UNINSTALL.format(name=name)],
        "install_timeout": settings.suite_build_timeout,
    }
    if settings.pythons:
        keys["pythons"] = list(settings.pythons)
    text = json.dumps(keys, indent=1) + "\n"
    _write(folder / CONFIGURATION, text)
    pyproject = read_text(root / "pyproject.toml")
    return parse(text, folder / CONFIGURATION, pyproject, root=root, suite_files=_with_conftests(root, tests))


def _module_text(root: Path, file: str) -> str:
    """Return the module for the tests in *file*; it changes when they do."""
    digest = hashlib.sha256(read_text(root / file).encode()).hexdigest()
    return MODULE.format(suite=SUITE, path=file, digest=digest)


def _with_conftests(root: Path, tests: Sequence[Path]) -> tuple[Path, ...]:
    """Return *tests* and the files conftest.py that pytest reads for them."""
    folders = {folder for path in tests for folder in path.parents if folder.is_relative_to(root)}
    found = sorted(folder / "conftest.py" for folder in folders)
    return (*tests, *(path for path in found if path.is_file()))


def _module(path: Path) -> str:
    """Return the path of the module for the tests in *path*: asv's names of benchmarks have no hyphen."""
    return "/".join(re.sub(r"\W", "_", part) for part in path.with_suffix("").parts)


def _write(path: Path, text: str) -> None:
    """Write *text* to *path* unless it is there: times of files decide whether bytecode is made anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text("utf-8") != text:
        write_atomically(path, text.encode())

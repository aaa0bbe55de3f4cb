"""What the environments of a pytest suite need beside the project: the dependencies that name the plugin."""

import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from typing import Any

from uv import find_uv_bin

from windtunnel.errors import ConfigurationError
from windtunnel.pytest_suite.project import PLUGINS, dependency_files, project_name, read_text

TEST_GROUPS = ("test", "tests", "testing")
"""Groups and extras that are installed as well: a suite's conftest may import what only they name."""

MAX_DEPTH = 20
"""Groups that include each other, and files of requirements that do."""

FOR_TESTS = re.compile("bench|codspeed|test")
"""What is in the name of a file of requirements for tests."""

IMPORT = re.compile(r"^(?:import|from)\s+(\w+)|\b(pytest_codspeed|pytest_benchmark)\b", re.MULTILINE)
"""What a file of tests cannot do without, also where it skips itself then."""

KEY = "suite-requirements"
"""The setting in ``[tool.windtunnel]``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What is installed beside the project."""

    lines: tuple[str, ...]
    """Lines of a requirements file."""
    extras: tuple[str, ...] = ()
    """Extras of the project."""
    origin: str = ""
    """Where the lines are from, for a message."""


def find_requirements(root: Path, named: Sequence[str], tests: str = "") -> Requirements:
    """Return the requirements of the *tests*, a text, of the project at *root*.

    *named* are dependency groups, extras and files of requirements. Without any they are those that name the plugin,
    those for tests, extras that the tests mention, and groups that have what they import. A uv.lock fixes their
    versions. Raises ConfigurationError if one of *named* is none of these.
    """
    table = _read_pyproject(root)
    groups = {name: tuple(_group_lines(table, name)) for name in table.get("dependency-groups", {})}
    extras = {
        name: tuple(map(str, lines))
        for name, lines in table.get("project", {}).get("optional-dependencies", {}).items()
    }
    others = dict(_tool_groups(table))
    chosen = tuple(named) or (*_with_plugin(root, groups, extras, others), *_mentioned(extras, tests))
    if not named and not any((root / one).is_file() for one in chosen):
        installed = ("pytest", project_name(root), *table.get("project", {}).get("dependencies", ()))
        chosen += tuple(_imported({"": installed, **others, **extras, **groups}, ("", *chosen), tests))
    chosen = tuple(dict.fromkeys(chosen))
    unknown = [one for one in chosen if not (one in groups or one in extras or one in others or (root / one).is_file())]
    if unknown:
        raise ConfigurationError(
            f"{root / 'pyproject.toml'}: {KEY} names {unknown[0]!r}, which is neither a dependency group, an extra "
            f"nor a file of requirements; there are {', '.join((*groups, *extras, *others)) or 'no groups and extras'}"
        )
    in_groups = [one for one in chosen if one in groups]
    in_extras = tuple(one for one in chosen if one in extras and one not in groups)
    lines = _locked(root, in_groups, in_extras) or tuple(line for one in in_groups for line in groups[one])
    for one in chosen:
        if one in others and one not in groups:
            lines += others[one]
        elif one not in groups and one not in extras:
            lines += tuple(_file_lines(root / one))
    own = [
        line for line in lines if _name(line) == _name(project_name(root))
    ]  # installed as the build, with its extras
    in_extras += tuple(each for line in own for each in re.findall(r"[\w-]+(?=[\w\s,-]*\])", line))
    return Requirements(
        lines=("pytest", *dict.fromkeys(line for line in lines if line not in own)),
        extras=tuple(dict.fromkeys(in_extras)),
        origin=", ".join(chosen) or "pytest alone",
    )


def _with_plugin(
    root: Path,
    groups: Mapping[str, Sequence[str]],
    extras: Mapping[str, Sequence[str]],
    others: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """Yield the group, extra or file that names the plugin, the shortest one first, and the groups for tests."""
    for kind in (groups, extras, others):
        having = [name for name, lines in kind.items() if any(map(PLUGINS.match, lines))]
        if having:
            yield from dict.fromkeys([min(having, key=lambda name: len(kind[name])), *(TEST_GROUPS & kind.keys())])
            return
    files = [path for path in dependency_files(root) if path.suffix in {".txt", ".in"}]
    if having_files := [path for path in files if PLUGINS.search(read_text(path))]:
        best = min(having_files, key=lambda path: (not FOR_TESTS.search(path.name), len([*_file_lines(path)])))
        pinned = best.with_suffix(".txt")  # what pip-compile writes beside it
        yield (pinned if pinned.is_file() else best).relative_to(root).as_posix()


def _mentioned(extras: Mapping[str, Sequence[str]], tests: str) -> Iterator[str]:
    """Yield the extras of one package that *tests* mention: an import of the project may need it there."""
    for name, lines in extras.items():
        packages = [re.split(r"[^\w.-]", line.strip())[0].replace("-", "_") for line in lines]
        if len(packages) == 1 and re.search(rf"\b(?:{re.escape(name)}|{re.escape(packages[0])})\b", tests):
            yield name


def _imported(kinds: Mapping[str, Sequence[str]], chosen: Sequence[str], tests: str) -> Iterator[str]:
    """Yield the shortest of *kinds* for each package that *tests* import and none of the *chosen* has."""
    packages = {name: {_name(line).replace("-", "_") for line in lines} for name, lines in kinds.items()}
    here = {package for name in chosen for package in packages.get(name, ())}
    for module in sorted({found[1] or found[2] for found in IMPORT.finditer(tests)} - here):
        if having := [name for name, names in packages.items() if module in names]:
            yield min(having, key=lambda name: len(packages[name]))


def _name(line: str) -> str:
    """Return the normalised name that a requirement begins with."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", line)[0]).lower()


def _read_pyproject(root: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(read_text(root / "pyproject.toml"))
    except ValueError as error:
        raise ConfigurationError(f"{root / 'pyproject.toml'} is not TOML: {error}; correct it and try again") from None


def _group_lines(table: Mapping[str, Any], name: str, depth: int = 0) -> Iterator[str]:
    """Yield the requirements of a dependency group with those that it includes (PEP 735)."""
    for line in table.get("dependency-groups", {}).get(name, ()) if depth < MAX_DEPTH else ():
        if isinstance(line, str):
            yield line
        elif isinstance(line, dict) and isinstance(line.get("include-group"), str):
            yield from _group_lines(table, line["include-group"], depth + 1)


def _tool_groups(table: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the groups that Poetry, pdm and hatch keep in their own tables."""
    tool = table.get("tool", {})
    poetry = tool.get("poetry", {})
    tables = {name: group.get("dependencies", {}) for name, group in poetry.get("group", {}).items()}
    for name, wanted in {"dev": poetry.get("dev-dependencies", {}), **tables}.items():
        if lines := tuple(filter(None, starmap(_poetry_line, wanted.items()))):
            yield name, lines
    for name, lines in tool.get("pdm", {}).get("dev-dependencies", {}).items():
        yield name, tuple(map(str, lines))
    for name, env in tool.get("hatch", {}).get("envs", {}).items():
        if isinstance(env, dict):
            yield name, tuple(map(str, (*env.get("dependencies", ()), *env.get("extra-dependencies", ()))))


def _poetry_line(name: str, wanted: Any) -> str:
    """Return a requirement of Poetry as pip writes it: ``^1.2`` is at least 1.2; empty for a package in a folder."""
    version = wanted.get("version", "") if isinstance(wanted, dict) else wanted
    version = re.sub(r"[~^](?!=)", ">=", version) if isinstance(version, str) else "*"
    return version and (
        name if set("*|") & set(version) else name + (version if version[0] in "<>=!~" else f"=={version}")
    )


def _file_lines(path: Path, depth: int = 0) -> Iterator[str]:
    """Yield the requirements in *path* and in the files that it names, without the project itself."""
    for line in read_text(path).splitlines() if depth < MAX_DEPTH else ():
        words = line.partition(" #")[0].split()
        match words:
            case [("-r" | "--requirement"), name]:
                yield from _file_lines(path.parent / name, depth + 1)
            case [("-c" | "--constraint"), name]:
                yield f"-c {(path.parent / name).resolve()}"
            case [first, *_] if not first.startswith(("#", "-e", "--editable", ".", "--hash")):
                yield " ".join(words).removesuffix("\\").rstrip()


def _locked(root: Path, groups: Sequence[str], extras: Sequence[str]) -> tuple[str, ...]:
    """Return what uv.lock fixes for the project with *groups* and *extras*; nothing without a lock that fits."""
    if not (root / "uv.lock").is_file() or not (groups or extras):
        return ()
    options = [f"--group={one}" for one in groups] + [f"--extra={one}" for one in extras]
    command = [find_uv_bin(), "export", "--frozen", "--offline", "--quiet", "--no-hashes", "--no-header"]
    command += ["--no-annotate", "--no-default-groups", "--no-emit-workspace", *options]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if not re.match(r"\s*(?:#|-e\b|\.)", line)]
    return tuple(filter(None, lines)) if done.returncode == 0 else ()

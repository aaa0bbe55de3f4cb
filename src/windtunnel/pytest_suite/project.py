"""Finds the pytest benchmarks of a project, and reads what pytest's configuration says about running them."""

import ast
import configparser
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.git.repository import Repository
from windtunnel.model.settings import Settings, parse_settings

PLUGINS = re.compile(r"pytest[-_](?:benchmark|codspeed)\b", re.IGNORECASE)
"""The plugins whose fixture ``benchmark`` is served."""

FIXTURES = ("benchmark", "benchmark_weave", "codspeed_benchmark")
"""The fixtures that measure."""

MARKER = "mark.benchmark", "mark.codspeed_benchmark"
"""Markers of pytest-codspeed, which measures a marked test as a whole."""

PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
"""Files in the root of a project."""

DEPENDENCIES = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "requirements*", "*/requirements*")
"""Patterns of files in which a project names its dependencies."""

MAX_FILE_BYTES = 2_000_000
"""Larger files are not searched."""

DROPPED = re.compile(
    r"""
    --(?:no-)?cov | --benchmark | --codspeed          # plugins that would time other things than the code
    | -n | --numprocesses | --dist | --maxprocesses | --tx  # processes in parallel
    | -m | -k | -x | --exitfirst | --maxfail | --lf | --ff | --nf | --last-failed | --failed-first | --new-first
    | --sw | --stepwise | --cache                     # which tests run
    | --randomly | --random-order | -p\ (?:random|xdist|no:xdist)  # random values differ between two commits
    | --strict-config | --doctest | --junit | --durations | --html | --reruns
    """,
    re.VERBOSE,
)
"""How options in ``addopts`` begin that measuring does without."""

VALUED = re.compile(
    r"-[nmkpr]|--(?:numprocesses|dist|maxprocesses|tx|cov-\w+|benchmark-[\w-]+|maxfail|durations|tb|color|import-mode"
    r"|ignore(?:-glob)?|deselect|timeout|asyncio-mode|(?:show-)?capture|log-[\w-]+|override-ini|confcutdir)"
)
"""Options that may have a value as the next word."""


def read_text(path: Path) -> str:
    """Return the text of *path*; empty if it is missing, binary, or larger than the limit."""
    try:
        return path.read_text("utf-8") if path.stat().st_size <= MAX_FILE_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return ""


def find_root(start: Path) -> Path | None:
    """Return the nearest folder from *start* upwards that is the root of a Python project; None without one."""
    for folder in (start, *start.parents):
        if any((folder / name).is_file() for name in PROJECT_FILES):
            return folder
        if (folder / ".git").exists():
            return None
    return None


def read_project_settings(root: Path) -> Settings:
    """Return ``[tool.windtunnel]`` of the project at *root*; raises ConfigurationError."""
    pyproject = root / "pyproject.toml"
    return parse_settings(pyproject.read_text("utf-8") if pyproject.is_file() else "", str(pyproject))


def project_name(root: Path) -> str:
    """Return the name of the distribution of the project at *root*; its folder's where the metadata has none."""
    for name in ("pyproject.toml", "setup.cfg"):
        found = re.search(r"^\s*name\s*=\s*[\"']?([\w.-]+)", read_text(root / name), re.MULTILINE)
        if found:
            return found[1]
    return root.name


def dependency_files(root: Path) -> Iterator[Path]:
    """Yield the files in which the project at *root* names its dependencies; folders of requirements too."""
    for pattern in DEPENDENCIES:
        for path in sorted(root.glob(pattern)):
            yield from sorted(path.glob("*")) if path.is_dir() else (path,)


def names_plugin(root: Path) -> bool:
    """Return whether the dependencies of the project at *root* name pytest-benchmark or pytest-codspeed."""
    return any(PLUGINS.search(read_text(path)) for path in dependency_files(root))


def read_pytest_options(root: Path) -> Mapping[str, Any]:
    """Return the options in pytest's configuration of the project at *root*; raises ConfigurationError."""
    for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        text = read_text(root / name)
        if not text:
            continue
        try:
            found = _toml_options(text, name) if name.endswith(".toml") else _ini_options(text, name)
        except (ValueError, configparser.Error) as error:
            raise ConfigurationError(f"{root / name} cannot be read: {error}; correct it and try again") from None
        if found is not None:
            return found
    return {}


def _toml_options(text: str, name: str) -> Mapping[str, Any] | None:
    table = tomllib.loads(text)
    if name != "pyproject.toml":
        found = table.get("pytest")
    else:
        tool = table.get("tool", {}).get("pytest")
        found = tool.get("ini_options", tool) if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


def _ini_options(text: str, name: str) -> Mapping[str, Any] | None:
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    return dict(parser[section]) if parser.has_section(section) else {} if name.endswith("pytest.ini") else None


def words(value: object) -> list[str]:
    """Return the words of an option: a list, or a text whose lines may be comments; raises ValueError."""
    if isinstance(value, list):
        return [str(each) for each in value]
    lines = [line for line in str(value or "").splitlines() if not line.strip().startswith(("#", ";"))]
    return shlex.split(" ".join(lines))


def kept_options(addopts: Iterable[str]) -> list[str]:
    """Return the options in *addopts* with which benchmarks run: those of other plugins and of the choice are left out.

    Other words name files, which are replaced.
    """
    kept: list[str] = []
    given = list(addopts)
    while given:
        option = given.pop(0)
        valued = VALUED.fullmatch(option) and given and not given[0].startswith("-")
        value = [given.pop(0)] if valued or (option in {"-p", "-W", "-c", "-o"} and given) else []
        if option.startswith("-") and not DROPPED.match(" ".join([option, *value])):
            kept += [option, *value]
    return kept


def find_benchmark_files(repository: Repository, root: Path, functions: Iterable[str] = ("test",)) -> tuple[Path, ...]:
    """Return the files below *root* with tests that measure; *functions* are how names of tests begin.

    A test measures if it uses a fixture that measures, or a fixture that uses one, or has a marker of pytest-codspeed.
    A folder with a pyproject.toml of its own is another project. Raises UsageError where there is no such test.
    """
    listed = repository.git.text(
        "ls-files", "--cached", "--others", "--exclude-standard", "--full-name", "-z", "--", str(root)
    )
    names = (name for name in listed.split("\0") if name.endswith(".py") and ".windtunnel/" not in name)
    paths = {repository.root / name for name in names}
    others = {parent for path in paths for parent in path.parents if parent.is_relative_to(root) and parent != root}
    others = {folder for folder in others if (folder / "pyproject.toml").is_file()}
    own = sorted(path for path in paths if others.isdisjoint(path.parents))
    texts = {path: text for path in own if "benchmark" in (text := read_text(path))}
    trees = {path: tree for path, text in texts.items() if (tree := _parse(text))}
    measuring = _measuring_fixtures(trees.values())
    prefixes = tuple(each.rstrip("*") for each in functions) or ("test",)
    found = tuple(
        path
        for path, tree in trees.items()
        if any(marker in texts[path] for marker in MARKER)
        or any(_arguments(one) & measuring and one.name.startswith(prefixes) for one in _functions(tree))
    )
    tests = tuple(path for path in found if path.name != "conftest.py")
    if not tests:
        raise UsageError(
            f"no test below {root} uses the fixture 'benchmark'; write one, as docs/how-to/pytest.md shows, or name an "
            "asv configuration with --config"
        )
    return tests


def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):  # pytest will say it, if it is a test
        return None


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {each.arg for each in (*function.args.args, *function.args.kwonlyargs, *function.args.posonlyargs)}


def _measuring_fixtures(trees: Iterable[ast.Module]) -> set[str]:
    """Return the fixtures that measure, and those that use one, directly or through others."""
    fixtures = [
        (one.name, _arguments(one))
        for tree in trees
        for one in _functions(tree)
        if any("fixture" in ast.unparse(decorator) for decorator in one.decorator_list)
    ]
    measuring = set(FIXTURES)
    while more := {name for name, arguments in fixtures if arguments & measuring} - measuring:
        measuring |= more
    return measuring

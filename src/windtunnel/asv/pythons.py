"""Finds the Pythons of this machine, and those that an asv configuration lists."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct
from uv import find_uv_bin

from windtunnel import formats
from windtunnel.errors import DataError, UsageError

SEARCHED = (
    "{PYENV_ROOT}/versions/*/bin",
    "{HOME}/.pyenv/versions/*/bin",
    "{RUNNER_TOOL_CACHE}/Python/*/*/bin",
    "{RUNNER_TOOL_CACHE}/PyPy/*/*/bin",
)
"""Folders besides PATH where version managers and GitHub's runners keep Pythons; uv finds its own."""

DOWNLOADS, NEVER = "UV_PYTHON_DOWNLOADS", "never"
"""The variable that permits uv to download Pythons, and the value for engines where it is not set."""


SPEC = re.compile(r"pypy|(?:cpython|pypy|graalpy)?\d+(?:\.\w+)*(?:-\w+)*", re.ASCII)
"""The name of a Python: 3.13, 3.14t, 3.15-dev, pypy3.11."""

MAX_ERROR = 400
"""Characters of a Python's error that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """One Python on this machine."""

    spec: str
    """Name in asv.conf.json: 3.12, 3.14t, pypy3.11."""
    version: str
    path: Path


def check_platform(system: str = sys.platform) -> None:
    """Refuse Windows, which has neither the sessions nor the signals of processes that measuring needs.

    Raises UsageError.
    """
    if system == "win32":
        raise UsageError(
            "building and measuring need Linux or macOS; use WSL or GitHub Actions, or compare stored "
            "results with asv compare"
        )


def find_interpreters(env: Mapping[str, str]) -> tuple[Interpreter, ...]:
    """Return the Pythons that uv can start, the first of each spec; shims that start nothing are omitted."""
    check_platform()
    command = [find_uv_bin(), "python", "list", "--only-installed", "--output-format", "json", "--offline"]
    found = subprocess.run(  # noqa: PLW1510 - the message below says more than CalledProcessError
        command, env={**env, "PATH": search_path(env)}, capture_output=True, text=True
    )
    if found.returncode:
        raise DataError(f"uv could not list the Pythons of this machine: {found.stderr.strip()}")
    first: dict[str, Interpreter] = {}
    for entry in json.loads(found.stdout):
        spec = spec_of(entry["implementation"], entry["version"], entry["variant"])
        interpreter = Interpreter(spec=spec, version=entry["version"], path=Path(entry["path"]))
        first.setdefault(spec, interpreter)
    own = Interpreter(spec=OWN, version=platform.python_version(), path=Path(sys.executable))
    first.setdefault(own.spec, own)
    return tuple(first[spec] for spec in sorted(first, key=spec_order))


def may_download(env: Mapping[str, str]) -> bool:
    """Return whether $UV_PYTHON_DOWNLOADS permits uv to download Pythons; without it, Windtunnel does not."""
    return env.get(DOWNLOADS, NEVER) in {"automatic", "auto", "true", "1"}


def search_path(env: Mapping[str, str]) -> str:
    """Return PATH with the folders of SEARCHED in front and without pyenv's shims, which start bash each time."""
    folders: list[str] = []
    for pattern in SEARCHED:
        name = pattern[1 : pattern.index("}")]
        if env.get(name):
            _, _, rest = pattern.partition("/")
            folders += map(str, sorted(Path(env[name]).glob(rest), reverse=True))
    shims = [
        str(Path(env.get(root, ""), folder)) for root, folder in (("PYENV_ROOT", "shims"), ("HOME", ".pyenv/shims"))
    ]
    path = env.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join([*folders, *(folder for folder in path if not folders or folder not in shims)])


OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
"""The Python that runs asv here; asv measures on this version where the configuration lists none."""


def spec_of(implementation: str, version: str, variant: str) -> str:
    """Return the name of a Python for asv and uv: 3.12, 3.14t (free-threaded), pypy3.11."""
    short = ".".join(version.split(".")[:2])
    prefix = "" if implementation == "cpython" else implementation
    return f"{prefix}{short}{'t' if variant == 'freethreaded' else ''}"


PREPARED_SCRIPT = """
import json, platform, sys
from importlib.util import find_spec
sys.path = [each for each in sys.path if each]
runner = find_spec("asv_runner") is not None
print(json.dumps({"version": platform.python_version(), "folders": [sys.prefix, *sys.path], "runner": runner}))
"""


class PreparedPython(Struct, frozen=True, kw_only=True):
    """A Python that the caller prepared."""

    version: str
    folders: tuple[str, ...]
    """Where it imports from."""
    runner: bool
    """Whether it can import asv_runner."""


def probe(path: Path, env: Mapping[str, str]) -> PreparedPython:
    """Return what the Python at *path* reports about itself; raises UsageError if it does not start."""
    kept = {name: value for name, value in env.items() if name != "PYTHONPATH"}  # the engine removes it too
    try:
        done = subprocess.run([path, "-c", PREPARED_SCRIPT], env=kept, capture_output=True, text=True, check=False)
    except OSError as error:
        raise UsageError(f"{path} cannot be started: {error}; name the python of an environment") from None
    if done.returncode:
        raise UsageError(f"{path} is not a working Python: {done.stderr.strip()[-MAX_ERROR:]}")
    return formats.decode(done.stdout.strip().splitlines()[-1].encode(), PreparedPython, str(path))


def spec_order(spec: str) -> tuple[str, tuple[int, ...], str]:
    """Return a key that sorts 3.9 before 3.11, CPython first, and a free-threaded build after its sibling."""
    letters = spec.rstrip("0123456789.t")
    digits = spec[len(letters) :].rstrip("t")
    return letters, tuple(int(part) for part in digits.split(".") if part), spec


def split_by_presence(
    specs: Iterable[str], interpreters: Iterable[Interpreter]
) -> tuple[tuple[Interpreter, ...], tuple[str, ...]]:
    """Return the interpreters of *specs* and the specs without an interpreter, both in the order of *specs*."""
    found = tuple(interpreters)
    by_spec = {one.version: one for one in found} | {one.spec: one for one in found}  # uv takes 3.12.4 as well
    unique = tuple(dict.fromkeys(specs))
    return tuple(by_spec[s] for s in unique if s in by_spec), tuple(s for s in unique if s not in by_spec)


def environment_type(pythons: Iterable[str], configured: str) -> str:
    """Return the environment type that *pythons* name, as in ``virtualenv:3.13``, else the *configured* one."""
    types = {python.partition(":")[0] for python in pythons if ":" in python}
    if len(types) > 1:
        raise UsageError(f"--python names several environment types ({', '.join(sorted(types))}); name one")
    return next(iter(types), configured)


def check_spec(spec: str) -> None:
    """Raise UsageError if *spec* is not the name of a Python, with or without an environment type."""
    if not SPEC.fullmatch(without_type(spec)):
        raise UsageError(f"--python {spec[:60]!r} is not a Python; write a version, such as 3.13, 3.14t or pypy3.11")


def without_type(python: str) -> str:
    """Return *python* without the environment type that it may name."""
    return python.rpartition(":")[2]


def install_hint(spec: str, env: Mapping[str, str]) -> str:
    """Return how to install the Python *spec*: a command of uv if uv is on PATH."""
    if shutil.which("uv", path=env.get("PATH", os.defpath)):
        return f"uv python install {spec}"
    return f"install Python {spec} (for example with uv, pyenv or your system's packages)"

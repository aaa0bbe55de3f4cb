"""The suite as asv 0.6.6 sees it: its configuration, environments, benchmarks, and what is installed."""

import contextlib
import hashlib
import itertools
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asv import environment, util
from asv.benchmarks import Benchmarks
from asv.config import Config
from asv.plugin_manager import plugin_manager
from asv.repo import NoSuchNameError, get_repo
from asv.runner import BENCHMARK_RUN_SCRIPT

from windtunnel import formats
from windtunnel.asv import configuration
from windtunnel.asv.project_repository import find_project_repository
from windtunnel.asv.protocol import Describe, Described, Discover, Discovered, Emit
from windtunnel.errors import WindtunnelError
from windtunnel.model.run_format import PythonBuild

BUILD_INFO_SCRIPT = """
import importlib.metadata, json, os, platform, shlex, sys, sysconfig
variable = sysconfig.get_config_var
options = " ".join(each for each in shlex.split(variable("CONFIG_ARGS") or "") if "/" not in each)
jit = getattr(sys, "_jit", None)
free_threaded = bool(variable("Py_GIL_DISABLED"))
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": platform.python_version(),
    "compiler": platform.python_compiler(),
    "options": options,
    "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
    "jit": jit.is_enabled() if jit else sys.implementation.name == "pypy" or "--enable-experimental-jit" in options,
    "allocator": os.environ.get("PYTHONMALLOC")
    or ("mimalloc" if free_threaded else "pymalloc" if variable("WITH_PYMALLOC") else "malloc"),
    "switch_interval": sys.getswitchinterval(),
    "packages": sorted({f"{one.name}=={one.version}" for one in importlib.metadata.distributions()}),
}))
"""


def python_build(env: Any) -> PythonBuild:
    """Return how the Python in *env* was built, and the packages that are installed there."""
    variables = {**os.environ, **env.env_vars, "ASV_PYTHONPATH": ""}
    out: str = env.run(["-c", BUILD_INFO_SCRIPT], dots=False, env=variables)
    return formats.decode(out.strip().splitlines()[-1].encode(), PythonBuild, f"build information of {env.name}")


def artifact_digest(env: Any, commit: str) -> str:
    """Return a digest of the build (empty when asv has kept none); of wheels, only the content counts, not dates."""
    folder = env._cache.get_cache_dir(commit)  # noqa: SLF001 - asv has no public way
    if not folder:
        return ""
    digest = hashlib.sha256()
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                for member in sorted(wheel.infolist(), key=lambda one: one.filename):
                    digest.update(f"{member.filename}\0{member.CRC}\0{member.file_size}\0".encode())
        else:
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


MAX_TOOL_OUTPUT = 4000
"""Characters of a tool's output that are kept: its end, which holds the error."""


class CannotContinueError(Exception):
    """A step before measuring failed: configuration, environment, install, discovery."""

    def __init__(self, step: str, reason: str) -> None:
        """Keep the *step* and the end of the *reason*."""
        super().__init__(f"{step}: {reason}")
        self.step, self.reason = step, reason.strip()[-MAX_TOOL_OUTPUT:]


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Turn asv's errors in the step *name* into CannotContinueError."""
    try:
        yield
    except util.ProcessError as error:
        raise CannotContinueError(name, f"{error}\n{error.stdout}\n{error.stderr}") from None
    except (
        WindtunnelError,
        util.UserError,
        NoSuchNameError,
        environment.EnvironmentUnavailable,
        OSError,
        ValueError,
    ) as error:
        raise CannotContinueError(name, str(error)) from None


def load(path: str) -> Any:
    """Return asv's configuration with a local repository; change to its folder, as asv does."""
    os.chdir(Path(path).parent)
    sys.path.insert(0, str(Path(path).parent))
    conf = Config.load(path)
    if not Path(conf.repo).is_dir():  # a URL, which asv would clone again
        suite = configuration.parse(Path(path).read_text(encoding="utf-8"), Path(path))
        conf.repo = str(find_project_repository(suite, os.environ).root)
    for plugin in conf.plugins:
        plugin_manager.import_plugin(plugin)
    return conf


def describe(request: Describe, emit: Emit) -> None:
    """Emit every environment that the matrix makes of each Python."""
    with step("configuration"):
        conf = load(request.config)
        for python in request.pythons:
            for env in environment.get_environments(conf, [f"{conf.environment_type or ''}:{python}"]):
                emit(Described(python=python, environment=env.name))


def discover(request: Discover, emit: Emit) -> None:
    """Write benchmarks.json and emit the number of benchmarks."""
    with step("configuration"):
        conf = load(request.config)
        environments = list(environment.get_environments(conf, list(request.environments)))
        repo = get_repo(conf)
        Benchmarks.check_tree(conf.benchmark_dir)
    reason = "there is no environment to try"
    for env, commit in itertools.product(environments, request.commits):
        try:
            with step("discovery"):
                env.create()
                env.install_project(conf, repo, commit)
                entries = run_discovery(env, conf.benchmark_dir)
        except CannotContinueError as error:
            reason = error.reason
            continue
        write_benchmarks(entries, request.out)
        emit(Discovered(benchmarks=len(entries)))
        return
    raise CannotContinueError("discovery", reason)


def run_discovery(env: Any, suite: str) -> list[dict[str, Any]]:
    """Return the benchmarks that asv's runner in *env* finds; unlike asv's own discovery, keep the suite's errors."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        command = [BENCHMARK_RUN_SCRIPT, "discover", str(Path(suite).absolute()), str(found)]
        env.run(command, cwd=folder, env={**os.environ, **env.env_vars}, dots=False)
        entries: list[dict[str, Any]] = json.loads(found.read_text(encoding="utf-8"))
    return entries


MODULE_DISCOVERY_SCRIPT = """
import importlib, io, json, os, pkgutil, sys, traceback
sys.path[:0] = [each for each in os.environ.pop("ASV_PYTHONPATH", "").split(os.pathsep) if each]
from asv_runner import _aux, discovery
suite, out = sys.argv[1:]
found, problems = [], {}

def modules(name):
    try:
        module = importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException:
        problems[name.partition(".")[2]] = traceback.format_exc()
        return
    entries = io.StringIO()
    discovery.disc_modules = lambda *_, **__: [module]
    try:
        discovery.list_benchmarks(suite, entries)
        found.extend(json.loads(entries.getvalue()))
    except Exception:
        problems[name.partition(".")[2]] = traceback.format_exc()
    for _, inner, _ in pkgutil.iter_modules(getattr(module, "__path__", ()), name + "."):
        modules(inner)

_aux.update_sys_path(suite)
modules(os.path.basename(suite))
with open(out, "w") as stream:
    json.dump([found, problems], stream)
"""
"""asv's own discovery ends at the first module that cannot be imported."""


def discover_modules(env: Any, suite: str) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the benchmarks of each module that can be imported in *env*, and why each other module cannot."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "found.json"
        command = ["-c", MODULE_DISCOVERY_SCRIPT, str(Path(suite).absolute()), str(out)]
        env.run(command, cwd=folder, env={**os.environ, **env.env_vars}, dots=False)
        found, problems = json.loads(out.read_text(encoding="utf-8"))
    return found, {module: reason.strip()[-MAX_TOOL_OUTPUT:] for module, reason in problems.items()}


def write_benchmarks(entries: list[dict[str, Any]], path: str) -> None:
    """Write *entries* to *path* as a benchmarks.json."""
    util.write_json(path, {entry["name"]: entry for entry in entries}, Benchmarks.api_version)

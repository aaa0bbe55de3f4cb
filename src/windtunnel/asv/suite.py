"""The suite as asv 0.6.6 sees it: its configuration, environments, benchmarks, and what is installed."""

import contextlib
import functools
import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from logging.handlers import BufferingHandler
from pathlib import Path
from time import monotonic
from typing import Any

from asv import environment, util
from asv.config import Config
from asv.plugins import conda
from asv.repo import NoSuchNameError, get_repo
from msgspec.structs import replace

from windtunnel import formats
from windtunnel.asv import builds, protocol
from windtunnel.asv.configuration import DEFAULT_ENVIRONMENT_TYPE, EXISTING
from windtunnel.asv.pythons import environment_type, without_type
from windtunnel.errors import WindtunnelError
from windtunnel.model.run_format import PythonBuild
from windtunnel.model.settings import parse_settings

BUILD_INFO_SCRIPT = """
import importlib.metadata, json, os, platform, shlex, sys, sysconfig
variable = sysconfig.get_config_var
options = " ".join(each for each in shlex.split(variable("CONFIG_ARGS") or "") if "/" not in each)
jit = getattr(sys, "_jit", None)
free_threaded = bool(variable("Py_GIL_DISABLED"))
packages = {f"{one.name}=={one.version}" for one in importlib.metadata.distributions()}
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
    "packages": sorted(packages - {"asv_bench_windtunnel==1"}),
}))
"""

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable that keeps the working directory out of the import path."""


def python_build(env: Any) -> PythonBuild:
    """Return how the Python in *env* was built, and the packages that are installed there."""
    variables = {**os.environ, **env.env_vars, "ASV_PYTHONPATH": ""}
    with tempfile.TemporaryDirectory() as nowhere:  # "-c" imports from the working directory first
        out: str = env.run(["-c", BUILD_INFO_SCRIPT], dots=False, env=variables, cwd=nowhere)
    return formats.decode(out.strip().splitlines()[-1].encode(), PythonBuild, f"build information of {env.name}")


def create(env: Any) -> None:
    """Create *env* unless it exists; the Pythons that asv starts meanwhile import nothing from the working directory.

    They start as ``python -m virtualenv`` and ``python -m pip``. Pythons before 3.11 do not know the variable.
    """
    if env.python.startswith("pypy"):  # where asv runs on CPython, it installs what PyPy 8 cannot import
        env._base_requirements.pop("pip+pympler", None)  # noqa: SLF001
    before = dict(os.environ)
    os.environ[SAFE_PATH] = "1"
    try:
        env.create()
    finally:
        os.environ.pop(SAFE_PATH)
        os.environ.update(before)


def install_packages(env: Any, wanted: Sequence[str]) -> None:
    """Install each ``name==version`` of *wanted* into *env*, and remove each ``-name``; other packages stay.

    Packages are installed without their own dependencies: those that differ are in *wanted* themselves. Raises asv's
    ProcessError when the index does not have a version.
    """
    removed = [one.removeprefix("-") for one in wanted if one.startswith("-")]
    added = [one for one in wanted if not one.startswith("-")]
    if removed:
        _pip(env, "uninstall", "--yes", *removed)
    if added:
        _pip(env, "install", "--no-deps", "--only-binary", ":all:", *added)


def _pip(env: Any, *arguments: str) -> None:
    env.run(["-m", "pip", "--disable-pip-version-check", "--quiet", *arguments], dots=False)


MAX_TOOL_OUTPUT = 4000
"""Characters of a tool's output that are kept: its end, which holds the error."""


class CannotContinueError(Exception):
    """A step before measuring failed: configuration, environment, install, discovery."""

    def __init__(self, step: str, reason: str) -> None:
        """Keep the *step* and the end of the *reason*."""
        super().__init__(f"{step}: {reason}")
        self.step, self.reason = step, reason.strip()[-MAX_TOOL_OUTPUT:]


TOO_SLOW = (
    "it printed nothing for too long: raise suite-build-timeout in [tool.windtunnel] (asv: install_timeout), or build "
    "both yourself and use --base-python and --head-python"
)
"""What to do about a command that asv ended."""


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Turn asv's errors in the step *name* into CannotContinueError."""
    try:
        yield
    except util.ProcessError as error:
        advice = TOO_SLOW if error.retcode == util.TIMEOUT_RETCODE else ""
        raise CannotContinueError(name, f"{error}\n{error.stdout}\n{error.stderr}\n{advice}") from None
    except (
        WindtunnelError,
        util.UserError,
        NoSuchNameError,
        environment.EnvironmentUnavailable,
        OSError,
        ValueError,
    ) as error:
        raise CannotContinueError(name, str(error)) from None


DEFAULT_BUILD_COMMAND = ("python -m pip wheel --no-deps -w {build_cache_dir} {build_dir}",)
"""Builds the project's wheel once. asv's own default builds it twice, and fails if the project has dependencies: their
wheels lie beside it."""


def load(place: protocol.Place) -> Any:
    """Return asv's configuration with the project's repository of *place*; change to its folder, as asv does.

    The folder is the last place for imports: asv's plugins may lie there, beside packages with the names of ours.
    """
    folder = str(Path(place.config).parent)
    os.chdir(folder)
    if folder not in sys.path:
        sys.path.append(folder)
    conf = Config.load(place.config)
    conf.repo = place.repository or conf.repo
    conf.environment_type = conf.environment_type or DEFAULT_ENVIRONMENT_TYPE
    settings = Path(folder) / "pyproject.toml"
    if settings.is_file():
        conf.pythons = parse_settings(settings.read_text("utf-8"), str(settings)).pythons or conf.pythons
    if conf.build_command is None:
        conf.build_command = list(DEFAULT_BUILD_COMMAND)
    for plugin in conf.plugins:
        _import_plugin(plugin)
    return conf


@functools.cache
def _import_plugin(name: str) -> None:
    """Import the asv plugin *name*, once also if several requests load the configuration."""
    from asv.plugin_manager import plugin_manager  # noqa: PLC0415 - loads the commands of asv as well

    plugin_manager.import_plugin(name)


def find_environments(conf: Any, pythons: Sequence[str] = ()) -> Iterator[Any]:
    """Yield the environments that asv makes of *conf*; with *pythons*, only those of these Pythons.

    A Python that the configuration does not list gets the environments of ``asv run -E TYPE:PYTHON``. A Python with a
    type, such as ``virtualenv:3.13``, makes *conf* use this type instead of its own.
    """
    kind = conf.environment_type = environment_type(pythons, conf.environment_type)
    pythons = tuple(map(without_type, pythons))
    if kind == EXISTING:
        yield from environment.get_environments(conf, [f"{kind}:{python}" for python in pythons or ("same",)])
        return
    found = list(environment.get_environments(conf, None))
    listed = {env.python for env in found}
    if further := [f"{kind}:{python}" for python in pythons if python not in listed]:
        found += environment.get_environments(conf, further)
    yield from (env for env in found if not pythons or env.python in pythons)


def open_place(place: protocol.Place) -> tuple[Any, Any]:
    """Return asv's configuration and environment of *place*; raises CannotContinueError."""
    with step("configuration"):
        conf = load(place)
        return conf, find_environment(conf, place.environment, place.pythons)


def find_environment(conf: Any, name: str, pythons: Sequence[str]) -> Any:
    """Return the environment of *pythons* that asv calls *name*, which begins with its type.

    Raises CannotContinueError.
    """
    conf.environment_type = name.partition("-")[0]
    for env in find_environments(conf, pythons):
        if env.name == name:
            return env
    raise CannotContinueError("environment", f"asv makes no environment {name} of {', '.join(pythons)} here")


def describe(request: protocol.Describe, emit: protocol.Emit) -> None:
    """Emit the environments that asv makes, Python by Python, and the Pythons of which it makes none."""
    with step("configuration"):
        conf = load(request.place)
        with _asv_warnings() as warnings:
            made = find_environments(conf, request.place.pythons)
            found = {env.name: env.python for env in made if not _lacks_conda(env, warnings)}
        pythons = tuple(dict.fromkeys((*_listed_pythons(conf, request.place.pythons), *found.values())))
    emit(
        protocol.SuiteEnvironments(
            pythons=pythons,
            here=tuple(
                protocol.PlannedEnvironment(python=python, environment=name)
                for python in pythons
                for name in found
                if found[name] == python
            ),
            reason="; ".join(dict.fromkeys(filter(None, warnings))),
        )
    )


def _listed_pythons(conf: Any, pythons: Sequence[str]) -> Iterator[str]:
    """Yield *pythons*, else those of asv's matrix, of which this machine may have none."""
    if conf.environment_type == EXISTING:
        return
    yield from map(without_type, pythons)
    if not pythons:
        for combination in environment.iter_matrix(conf.environment_type, conf.pythons, conf):
            yield combination["python", None]


def _lacks_conda(env: Any, warnings: list[str]) -> bool:
    """Return whether *env* needs a conda that this machine lacks, and add why: asv notices only when it creates it."""
    if env.tool_name != "conda":
        return False
    try:
        conda._find_conda()  # noqa: SLF001 - asv has no public way
    except OSError as error:
        warnings.append(str(error))
        return True
    return False


@contextlib.contextmanager
def _asv_warnings() -> Iterator[list[str]]:
    """Collect what asv warns of until the end: it reports there why an environment cannot be made."""
    collected: list[str] = []
    handler = BufferingHandler(sys.maxsize)
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        yield collected
    finally:
        logging.getLogger().removeHandler(handler)
        collected[:0] = (record.getMessage().strip() for record in handler.buffer)


def build(request: protocol.BuildCommit, emit: protocol.Emit) -> None:
    """Build the commit, or take the earlier build of it, and save it for other jobs; save the reason of a failure."""
    conf, env = open_place(request.place)
    with step("configuration"):
        repo = get_repo(conf)
    with step("environment"):
        create(env)
        builds.forget_saved_build(env, request.commit)
        record = builds.new_record(env, request.commit)
    out, started = Path(request.out), monotonic()
    with step("reuse"):
        folder = request.place.builds
        earlier = builds.reuse(env, Path(folder), out, record, refuser(request.commit, emit)) if folder else None
    if earlier:
        emit(protocol.BuildSaved(record=earlier, reused=True))
        return
    try:
        with step("build"):
            builds.prepare(env, request.commit)
            env.install_project(conf, repo, request.commit)
    except CannotContinueError as error:
        record = replace(record, state="failed", failure=error.reason)
    with step("saving the build"):
        record = builds.save(env, out, replace(record, seconds=monotonic() - started))
    emit(protocol.BuildSaved(record=record, reused=False))


def refuser(commit: str, emit: protocol.Emit) -> builds.Refuse:
    """Return a function that emits why the build of *commit* by another job is not used."""
    return lambda reason: emit(protocol.BuildRefused(commit=commit, reason=reason))

"""The benchmarks of a suite, as asv's runner finds them in an environment."""

import itertools
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

from asv import util
from asv.benchmarks import Benchmarks
from msgspec.structs import replace

from windtunnel.asv import builds, protocol
from windtunnel.asv.suite import MAX_TOOL_OUTPUT, CannotContinueError, create, find_environment, load, refuser, step
from windtunnel.model.run_format import error_line


def discover(request: protocol.Discover, emit: protocol.Emit) -> None:
    """Write benchmarks.json."""
    with step("configuration"):
        conf = load(request.place)
        environments = [find_environment(conf, name, request.place.pythons) for name in request.environments]
        Benchmarks.check_tree(conf.benchmark_dir)
    reason = "no environment was found to try"
    for env, commit in itertools.product(environments, request.commits):
        try:
            with step("discovery"):
                create(env)
                _install(env, conf, commit, request, emit)
                entries, problems = discover_modules(env, conf.benchmark_dir)
        except CannotContinueError as error:
            reason = error.reason
            continue
        if not problems:
            write_benchmarks(entries, request.out)
            return
        reason = next(iter(problems.values()))
    raise CannotContinueError("discovery", reason)


def refuse_suite(problems: Mapping[str, str]) -> NoReturn:
    """Raise CannotContinueError with what the first module of a suite needs, none of which can be imported."""
    module, reason = next(iter(problems.items()))
    needs = "what only the suite needs belongs into 'matrix' of asv.conf.json"
    raise CannotContinueError(
        "discovery", f"no module of the suite can be imported; {module}: {error_line(reason)} ({needs})"
    )


def _install(env: Any, conf: Any, commit: str, request: protocol.Discover, emit: protocol.Emit) -> None:
    """Install *commit*, and save its build if the request asks for it; the build of another job is not saved again."""
    if request.save:
        builds.prepare(env, commit)
    started = monotonic()
    elsewhere = builds.install(env, conf, commit, request.place.builds, refuser(commit, emit))
    if request.save and elsewhere is None:
        record = replace(builds.new_record(env, commit), seconds=monotonic() - started)
        builds.save(env, Path(request.save), record)


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
        problems[name.partition(".")[2]] = traceback.format_exc(-3)
        return
    entries = io.StringIO()
    discovery.disc_modules = lambda *_, **__: [module]
    try:
        discovery.list_benchmarks(suite, entries)
        found.extend(json.loads(entries.getvalue()))
    except Exception:
        problems[name.partition(".")[2]] = traceback.format_exc(-3)
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
        try:
            env.run(command, cwd=folder, env={**os.environ, **env.env_vars}, dots=False)
        except util.ProcessError as error:  # its text repeats the script
            raise util.UserError(f"{suite} cannot be read: {error.stderr or error.stdout}") from None
        found, problems = json.loads(out.read_text(encoding="utf-8"))
    return found, {module: reason.strip()[-MAX_TOOL_OUTPUT:] for module, reason in problems.items()}


def write_benchmarks(entries: list[dict[str, Any]], path: str) -> None:
    """Write *entries* to *path* as a benchmarks.json."""
    util.write_json(path, {entry["name"]: entry for entry in entries}, Benchmarks.api_version)

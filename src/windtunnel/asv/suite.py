"""The only code that touches asv 0.6.6's objects: environments, installation, discovery, one process of one case.

asv's command line can neither interleave the variants of a benchmark, nor save before the last benchmark is done, nor
keep what another process wrote into the same results file; its objects can.
"""

import contextlib
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from asv import environment, util
from asv.benchmarks import Benchmarks
from asv.config import Config
from asv.plugin_manager import plugin_manager
from asv.repo import NoSuchNameError, get_repo
from asv.results import Results
from asv.runner import BENCHMARK_RUN_SCRIPT, get_spawner

from windtunnel.asv import configuration
from windtunnel.asv.build_info import python_build
from windtunnel.asv.project_repository import repository_of
from windtunnel.asv.protocol import (
    Describe,
    Described,
    Discover,
    Discovered,
    Emit,
    EnvironmentReady,
    Installed,
    Measure,
    Saved,
)
from windtunnel.asv.rounds import Rounds
from windtunnel.errors import WindtunnelError

MAX_REASON_CHARACTERS = 4000
"""Characters of a tool's output that are kept: its end, where the error stands."""


class CannotContinueError(Exception):
    """A step before measuring failed: *step* (configuration, environment, install, discovery) and *reason*."""

    def __init__(self, step: str, reason: str) -> None:
        """Keep the end of *reason*."""
        super().__init__(f"{step}: {reason}")
        self.step, self.reason = step, reason.strip()[-MAX_REASON_CHARACTERS:]


def describe(request: Describe, emit: Emit) -> None:
    """Emit every environment that the matrix makes of each Python."""
    with step("configuration"):
        conf = load(request.config)
        for python in request.pythons:
            for env in environment.get_environments(conf, [f"{conf.environment_type or ''}:{python}"]):
                emit(Described(python=python, environment=env.name))


def discover(request: Discover, emit: Emit) -> None:
    """Write benchmarks.json and emit how many benchmarks it has."""
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
                entries = discovered_by(env, conf.benchmark_dir)
        except CannotContinueError as error:
            reason = error.reason
            continue
        util.write_json(request.out, {entry["name"]: entry for entry in entries}, Benchmarks.api_version)
        emit(Discovered(benchmarks=len(entries)))
        return
    raise CannotContinueError("discovery", reason)


def measure(request: Measure, emit: Emit) -> None:
    """Build and install the commit, then time the selected cases and save each benchmark when its rounds are done."""
    with step("configuration"):
        conf = load(request.config)
        (env,) = environment.get_environments(conf, [request.environment])
        repo = get_repo(conf)
        benchmarks = Benchmarks(conf, _entries(request.benchmarks))
    with step("environment"):
        started = monotonic()
        env.create()
        emit(EnvironmentReady(seconds=monotonic() - started))
    with step("install"):
        started = monotonic()
        env.install_project(conf, repo, request.commit)
        emit(Installed(seconds=monotonic() - started, build=python_build(env)))
    results = _results(request, env, repo)
    notes: dict[str, Any] = {}
    with contextlib.closing(get_spawner(env, conf.benchmark_dir, conf.launch_method)) as spawner:
        with step("import of the suite"):
            import_suite(spawner)
        for selection in request.selections:
            entry = dict(benchmarks[selection.benchmark])
            entry["timeout"] = entry.get("timeout") or conf.default_benchmark_timeout
            rounds = Rounds(entry=entry, spawner=spawner, results=results, emit=emit)
            rounds.carry_out(selection)
            notes[selection.benchmark] = {"process_sizes": rounds.process_sizes()}
            _save(results, notes, Path(request.out))
            emit(Saved(benchmark=selection.benchmark))


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Turn what asv raises within the step *name* into CannotContinueError."""
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
    """Return asv's configuration, its repository on this machine, and stand where asv would stand."""
    os.chdir(Path(path).parent)
    sys.path.insert(0, str(Path(path).parent))
    conf = Config.load(path)
    if not Path(conf.repo).is_dir():  # an address, which asv would clone anew
        suite = configuration.parse(Path(path).read_text(encoding="utf-8"), Path(path))
        conf.repo = str(repository_of(suite, os.environ).root)
    for plugin in conf.plugins:
        plugin_manager.import_plugin(plugin)
    return conf


def _entries(path: str) -> list[dict[str, Any]]:
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return [entry for entry in content.values() if isinstance(entry, dict)]


def discovered_by(env: Any, suite: str) -> list[dict[str, Any]]:
    """Let asv's runner in *env* list the benchmarks; unlike asv's own discovery this keeps what the suite raised."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        command = [BENCHMARK_RUN_SCRIPT, "discover", str(Path(suite).absolute()), str(found)]
        env.run(command, cwd=folder, env={**os.environ, **env.env_vars}, dots=False)
        entries: list[dict[str, Any]] = json.loads(found.read_text(encoding="utf-8"))
    return entries


def _results(request: Measure, env: Any, repo: Any) -> Any:
    """Return the results file of this run, empty: a run's folder is new, and merging is not asv's business."""
    machine = json.loads(Path(request.machine).read_text(encoding="utf-8"))
    machine.pop("version", None)
    params = {**machine, "python": env.python, **env.requirements}
    date = repo.get_date(request.commit)
    return Results(params, env.requirements, request.commit, date, env.python, env.name, env.env_vars)


def _save(results: Any, notes: dict[str, Any], tree: Path) -> None:
    """Put the results file into *tree* whole, which asv's own save() cannot promise when it is killed.

    *notes* go where ``asv.results_format`` reads them and asv does not look: which values came from one process.
    """
    tree.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tree, prefix=".saving-") as folder:
        results.save(folder)
        (saved,) = Path(folder).rglob("*.json")
        content = json.loads(saved.read_text(encoding="utf-8"))
        saved.write_text(json.dumps({**content, "windtunnel": {"rows": notes}}), encoding="utf-8")
        target = tree / saved.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        saved.replace(target)


def import_suite(spawner: Any) -> None:
    """Import the suite once where the launch method forks from a parent that has it."""
    success, output = spawner.preimport()
    if not success:
        raise util.UserError(output)

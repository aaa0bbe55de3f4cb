"""The distributions of this repository, each built, installed without the others, and used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin

from windtunnel.results.tree import read_tree

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "src" / "windtunnel_scenarios"
BEHIND_ASV = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


def run(*command, cwd):
    """Run a command to its end; its error output is in the failure."""
    finished = subprocess.run(command, cwd=cwd, env=BEHIND_ASV, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def uv(*arguments, cwd):
    """Run uv."""
    return run(find_uv_bin(), *arguments, "--quiet", cwd=cwd)


def install(project, folder, *requirements):
    """Build the wheel of a project and install it into a new environment; return the environment's commands."""
    uv("build", "--wheel", "--out-dir", folder, project, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    uv("venv", "--python", sys.executable, folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    uv("pip", "install", "--python", python, wheel, *requirements, cwd=folder)
    return python.parent


def imports(commands, module, cwd):
    """Whether an environment has a module."""
    script = f"import importlib.util; print(importlib.util.find_spec({module!r}) is not None)"
    return run(commands / "python", "-c", script, cwd=cwd) == "True\n"


def test_the_scenarios_run_without_the_tool(tmp_path):
    """Their wheel needs the standard library only, and a case of it runs."""
    commands = install(SCENARIOS, tmp_path)
    script = (
        "from windtunnel_scenarios.registry import prepared\n"
        "with prepared('sleep', 'gather', 'trial') as run: print(run())"
    )
    assert run(commands / "python", "-c", script, cwd=tmp_path) == "(0.001, 0.002, 0.003)\n"
    assert not imports(commands, "windtunnel", tmp_path)


@pytest.fixture
def locked(tmp_path):
    """The requirements of the tool in the locked versions."""
    path = tmp_path / "requirements.txt"
    uv(
        *("export", "--frozen", "--no-dev", "--no-hashes", "--no-emit-workspace", "--project", ROOT),
        *("--output-file", path),
        cwd=tmp_path,
    )
    return path


def test_the_tool_times_a_foreign_suite_without_the_scenarios(locked, project, tmp_path):
    """Its wheel has no scenarios, and ``windtunnel bench`` measures the suite of another project."""
    commands = install(ROOT, tmp_path, "-r", locked)
    assert not imports(commands, "windtunnel_scenarios", tmp_path)
    assert not imports(commands, "windtunnel_claims", tmp_path)
    assert "claims" not in run(commands / "windtunnel", "--help", cwd=tmp_path)
    arguments = ("bench", "--no-site", "--python", f"{sys.version_info.major}.{sys.version_info.minor}")
    run(commands / "windtunnel", *arguments, "--bench", "track_size", cwd=project)
    (run_of_suite,) = read_tree(project / ".asv" / "results").runs
    (row,) = run_of_suite.rows
    assert [result.value for result in row.results] == [3]

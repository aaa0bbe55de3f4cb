"""What works without POSIX, and what is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.asv.pythons import check_platform
from windtunnel.cli import CI_COMMANDS, COMMANDS
from windtunnel.errors import UsageError

QUICK = ("-k", "not plotted", "-p", "no:cacheprovider")
"""Importing matplotlib takes seconds, and its file is written as all others."""
ROOT = Path(__file__).parents[2]


def test_commands_that_read_results_need_no_posix(tmp_path):
    """The portable tests pass where windtunnel has neither fcntl nor fork, and open files cannot be replaced."""
    place = f"--basetemp={tmp_path / 'inner'}"  # the usual one is where this pytest removes what earlier ones left
    options = ("-q", "-p", "builders.without_posix", place, *QUICK, "tests/portable")
    command = [sys.executable, "-X", "warn_default_encoding", "-m", "pytest", *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_posix_systems_measure(system):
    """Linux and macOS."""
    check_platform(system)


def test_windows_measures_nothing_and_is_told_what_to_do():
    """In one line."""
    with pytest.raises(UsageError, match="need Linux or macOS; use WSL or GitHub Actions") as raised:
        check_platform("win32")
    assert "\n" not in str(raised.value)


def test_ci_runs_the_portable_tests_on_each_system():
    """Linux, Windows and macOS, by the command in the docs."""
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    for runner in ("ubuntu-24.04", "windows-2025", "macos-15"):
        assert runner in workflow
    assert "pytest tests/portable" in workflow


def test_the_docs_name_each_command():
    """A new command belongs into the table: does it read results, or measure?"""
    table = (ROOT / "docs/reference/platforms.md").read_text(encoding="utf-8")
    names = (*COMMANDS, *(f"ci {name}" for name in CI_COMMANDS))
    assert [name for name in names if f"`{name}`" not in table and f"`{name} " not in table] == []

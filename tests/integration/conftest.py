"""One small project with an asv environment, made once for all workers of a test run; each test gets a copy."""

import fcntl
import shutil
import subprocess
import sys

import pytest
from builders.suites import a_project

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
ABSENT = "3.99"


@pytest.fixture(scope="session")
def prepared(tmp_path_factory, worker_id):
    """A project of one commit whose environment is made; asv needs some 10 s for it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "prepared"
    with (folder.with_suffix(".lock")).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".asv" / "results" / "benchmarks.json").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            a_project(folder, pythons=(HERE, ABSENT))
            command = [sys.executable, "-m", "windtunnel.cli", "bench", "--no-site", "--bench", "track_size"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    return folder


@pytest.fixture
def project(prepared, tmp_path):
    """A copy of the prepared project without results."""
    folder = tmp_path / "project"
    shutil.copytree(prepared, folder, symlinks=True)
    shutil.rmtree(folder / ".windtunnel" / "runs")
    shutil.rmtree(folder / ".asv" / "results")
    for clone in (folder / ".asv" / "env").glob("*/project"):
        shutil.rmtree(clone)
    return folder

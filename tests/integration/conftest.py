"""One small project with an asv environment, made once for all workers of a test run; each test gets a copy."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys

import pytest
from asv.config import Config
from asv.environment import get_environments
from builders.commands import windtunnel
from builders.engines import forked_engines
from builders.repositories import a_hub
from builders.suites import a_copy, a_project
from uv import find_uv_bin

from windtunnel.asv.engine_session import engine_environment

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
ABSENT = "3.99"


@pytest.fixture(scope="session", autouse=True)
def _engines():
    """Engines of commands that tests call are forked: importing asv for each would take more than what they do."""
    with forked_engines() as start, pytest.MonkeyPatch.context() as patch:
        patch.setattr("windtunnel.asv.engine_session.start_process", start)
        yield


@pytest.fixture(scope="session")
def prepared(tmp_path_factory, worker_id):
    """A project of one commit whose environment is made, without results."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "prepared"
    with (folder.with_suffix(".lock")).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            making = folder.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)
            make_environment(a_project(making, pythons=(HERE, ABSENT)))
            windtunnel(making, "bench", "--no-site", "--bench", "track_size", code=0)
            for left in (".windtunnel/runs", ".asv/results", *making.glob(".asv/env/*/project")):
                shutil.rmtree(making / left)
            making.rename(folder)
    return folder


def make_environment(folder):
    """Make the environment that asv makes in 10 s, without what no test uses there.

    asv_runner reads the metadata of all that is installed at each start. Without pip, asv would make it again.
    """
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", engine_environment(os.environ)["PATH"])
        (env,) = get_environments(Config.load("asv.conf.json"), [f"uv:{HERE}"])
    uv, python = find_uv_bin(), f"{env._path}/bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", HERE, env._path], check=True)
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, "pip", "asv_runner==0.3.2"], check=True)
    env.save_info_file(env._path)


@pytest.fixture
def repo(toy, tmp_path):
    """A copy of the repository ``toy`` of a module, which the test may change."""
    return shutil.copytree(toy, tmp_path / "repo")


@pytest.fixture
def hub(tmp_path):
    """An empty repository that others push to."""
    return a_hub(tmp_path / "hub.git")


@pytest.fixture
def project(prepared, tmp_path):
    """A copy of the prepared project."""
    return a_copy(prepared, tmp_path / "project")


@pytest.fixture(scope="session")
def furnish(prepared):
    """A function that saves a project the making of environments for comparing the *commits* base or head."""

    def give(project, *commits, below="compare"):
        for commit in commits:
            a_copy(prepared / ".asv" / "env", project / ".windtunnel" / below / "env" / commit)

    return give

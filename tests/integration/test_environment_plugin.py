"""Environments that a plugin of asv makes: conda, mamba and rattler are such types, and a suite may bring its own."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import asv_runner
import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import a_project, change

from windtunnel.asv.paired_engine import CommitRunner, check_separate
from windtunnel.asv.suite import CannotContinueError

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

PLUGIN = f"""\
import shutil
import subprocess
import sys
from pathlib import Path

from asv.environment import Environment

class Plain(Environment):
    tool_name = "plain"

    def __init__(self, conf, python, requirements, tagged_env_vars):
        self._python, self._requirements = python, requirements
        super().__init__(conf, python, requirements, tagged_env_vars)

    @classmethod
    def matches(cls, python):
        return python == {HERE!r}

    @property
    def _site(self):
        return next(Path(self._path).glob("lib/python*/site-packages"))

    def _setup(self):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self._path], check=True)
        (self._site / "asv_runner").symlink_to({str(Path(asv_runner.__file__).parent)!r})

    def check_presence(self):
        return (Path(self._path) / "bin" / "python").exists()

    def _build_project(self, repo, commit_hash, build_dir):
        pass

    def _install_project(self, repo, commit_hash, build_dir):
        shutil.copytree(Path(build_dir) / "spam", self._site / "spam", dirs_exist_ok=True)

    def _uninstall_project(self):
        shutil.rmtree(self._site / "spam", ignore_errors=True)
        self._set_installed_commit_hash(None)

    def run(self, args, **kwargs):
        return self.run_executable("python", args, **kwargs)
"""

SUITE = """\
import spam

def track_size():
    return spam.SIZE
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A project with two commits, whose environments a plugin makes."""
    folder = tmp_path_factory.mktemp("plugin") / "project"
    keys = {"environment_type": "plain", "plugins": [".plain_environment"], "matrix": {}}
    a_project(folder, pythons=(HERE,), suite=SUITE, package="SIZE = 10\n", **keys)
    change(folder, {"plain_environment.py": PLUGIN}, "plugin")
    git(folder, "tag", "base")
    return change(folder, {"spam/__init__.py": "SIZE = 20\n"}, "slower")


def test_a_type_that_ignores_its_folder_cannot_hold_two_commits():
    """The second commit would replace the first."""
    env = SimpleNamespace(_path="/opt/fixed", tool_name="fixed")
    runners = [CommitRunner(conf=None, env=env, hash=commit) for commit in ("a", "b")]
    with pytest.raises(CannotContinueError, match=r"fixed ignores 'env_dir'; .* --base-python"):
        check_separate(runners)


def test_a_plan_is_run_in_environments_of_a_plugin(suite):
    """The type is named in results, as with asv's own types."""
    for command in (
        ("ci", "plan", "--revisions", "base..HEAD", "--out", "plan.json"),
        ("ci", "run", "--plan", "plan.json", "--shard", "0", "--out", "out"),
    ):
        windtunnel(suite, *command, code=0)
    (saved,) = suite.glob(f"out/results/*/*-plain-py{HERE}.json")
    assert json.loads(saved.read_text())["results"]["spam_suite.track_size"][0] == [20]


def test_commits_are_compared_in_environments_of_a_plugin(suite):
    """Each commit has its own."""
    out = suite / "verdict.json"
    options = "--rounds", "2", "--aa-share", "0", "--no-gate", "--instructions", "none"
    windtunnel(suite, "compare", "base", "HEAD", *options, "--out", out, code=0)
    verdict = json.loads(out.read_text())
    (one,) = verdict["comparisons"]
    assert (round(one["baseline"]["value"]), round(one["contender"]["value"])) == (10, 20)
    assert [each["name"] for each in verdict["environments"]] == [f"plain-py{HERE}"]

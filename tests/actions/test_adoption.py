"""A foreign suite, adopted by ``windtunnel init`` alone and run end to end under act.

Unlike ours in all that can differ: the suite lies in a sub-folder beside the package, the package in another one, the
main branch is called ``trunk``, names are conda's.
"""

import json
import os
import re

import pytest
from actions import acting
from actions.conftest import HERE
from builders.repositories import git
from builders.suites import CONFIGURATION, PYPROJECT, change

from windtunnel.cli import main

pytestmark = [
    pytest.mark.act,
    pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it"),
]
PIN = "org/windtunnel", "c" * 40

SUITE = """\
import eggs_core

class Eggs:
    params = ["conda-forge::eggs", "defaults/eggs=1.*"]
    param_names = ["channel"]
    version = "1"
    number, repeat, warmup_time = 10, 3, 0

    def time_boil(self, channel):
        eggs_core.boil()
"""


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """The repository, adopted; pushed to a bare one."""
    clone = tmp_path / "clone"
    clone.mkdir()
    git(clone, "init", "--quiet", "--initial-branch=trunk")
    configuration = {
        **CONFIGURATION,
        "project": "eggs_core",
        "repo": "../..",
        "repo_subdir": "python/eggs-core",
        "branches": ["trunk"],
        "pythons": [HERE],
        "benchmark_dir": "cases",
        "build_command": [CONFIGURATION["build_command"][0].replace(" --no-build-isolation", "")],
    }
    change(
        clone,
        {
            "python/eggs-core/pyproject.toml": PYPROJECT.replace('"spam"', '"eggs-core"'),
            "python/eggs-core/eggs_core/__init__.py": "def boil():\n    return sum(range(2000))\n",
            "tools/perf/asv.conf.json": f"// eggs\n{json.dumps(configuration)}",
            "tools/perf/cases/__init__.py": "",
            "tools/perf/cases/boiling.py": SUITE,
        },
        "eggs",
    )
    monkeypatch.chdir(clone)
    with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a stream, not a file of ours
        assert main(["init", "--pin", "@".join(PIN), "--release", "v0.1.0"], nothing, nothing, os.environ) == 0
    change(clone, {}, "windtunnel")
    git(tmp_path, "clone", "--quiet", "--bare", clone.name, "origin.git")
    git(clone, "remote", "add", "origin", str(tmp_path / "origin.git"))
    return clone


def test_a_foreign_suite_is_measured_and_published(foreign):
    """init, push: a site and a results branch, with nothing written by hand."""
    payload = {
        "ref": "refs/heads/trunk",
        "after": git(foreign, "rev-parse", "HEAD"),
        "repository": {"full_name": "org/eggs", "default_branch": "trunk"},
    }
    acted = acting.run(
        foreign, foreign.parent / "origin.git", "push", payload, foreign.parent / "act",
        workflow="windtunnel.yml", windtunnel="@".join(PIN),
    )  # fmt: skip
    assert acted.code == 0, acted.output
    assert (acted.artifacts / "github-pages" / "index.html").is_file()
    stored = git(foreign.parent / "origin.git", "ls-tree", "-r", "--name-only", "windtunnel-results")
    (run,) = re.findall(rf"\S*py{re.escape(HERE)}\S*", stored)
    assert "conda-forge::eggs" in git(foreign.parent / "origin.git", "show", f"windtunnel-results:{run}")

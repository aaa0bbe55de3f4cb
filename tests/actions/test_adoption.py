"""A foreign suite, adopted by ``windtunnel init`` alone and run end to end under act.

Unlike ours in all that can differ: the suite lies in a sub-folder beside the package, the package in another one, the
main branch is called ``trunk``, names are conda's.
"""

import json
import os
import re
import shutil
from collections import Counter

import pytest
from actions import acting
from actions.conftest import HERE
from actions.pulls import a_pull_request
from builders.repositories import git
from builders.suites import CONFIGURATION, change

from windtunnel.cli import main

pytestmark = [
    pytest.mark.act,
    pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it"),
]
PIN = "org/windtunnel", "c" * 40

SETUP = 'echo "$GITHUB_JOB" >> "$SETUP_LOG"; test -f tools/perf/asv.conf.json'
"""What the project wants on each runner that builds or measures: it shows the jobs in which it ran."""

VARIABLES = "variables = {EGGS = 'soft, 4 min'}\n"

PYPROJECT = """\
[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"
[project]
name = "eggs-core"
version = "1"
"""

SUITE = """\
import os

import eggs_core

assert os.environ["EGGS"] == "soft, 4 min"

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
            "python/eggs-core/pyproject.toml": PYPROJECT,
            "python/eggs-core/eggs_core/__init__.py": "def boil():\n    return sum(range(2000))\n",
            "tools/perf/asv.conf.json": f"// eggs\n{json.dumps(configuration)}",
            "tools/perf/pyproject.toml": f"[tool.windtunnel.ci]\nsetup = {json.dumps(SETUP)}\n{VARIABLES}",
            "tools/perf/cases/__init__.py": "",
            "tools/perf/cases/boiling.py": SUITE,
        },
        "eggs",
    )
    monkeypatch.chdir(clone)
    with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a stream, not a file of ours
        argv = ["init", "--pin", "@".join(PIN), "--release", "v0.1.0"]
        assert main(argv, nothing, nothing, os.environ) == 0
    change(clone, {}, "windtunnel")
    git(tmp_path, "clone", "--quiet", "--bare", clone.name, "origin.git")
    git(clone, "remote", "add", "origin", str(tmp_path / "origin.git"))
    return clone


def act(clone, event, payload, workflow, **what):
    """What becomes of *event*, by the file that init wrote."""
    return acting.run(
        clone, clone.parent / "origin.git", event,
        payload | {"repository": {"full_name": "org/spam", "default_branch": "trunk"}}, clone.parent / "act",
        workflow=workflow, windtunnel="@".join(PIN), GITHUB_REPOSITORY="org/spam", **what,
        SETUP_LOG=str(clone.parent / "setup.log"),
    )  # fmt: skip


def prepared_jobs(clone):
    """The jobs in which the setup command ran since the last call, and how often."""
    log = clone.parent / "setup.log"
    jobs = Counter(log.read_text(encoding="utf-8").split())
    log.unlink()
    return jobs


def test_a_foreign_suite_is_measured_published_and_compared(foreign, forge):
    """init, push: a site and a results branch. Then a regression: the right comment."""
    payload = {"ref": "refs/heads/trunk", "after": git(foreign, "rev-parse", "HEAD")}
    acted = act(foreign, "push", payload, "windtunnel.yml")
    assert acted.code == 0, acted.output
    assert prepared_jobs(foreign) == {"plan": 1}
    assert (acted.site / "index.html").is_file()
    stored = git(foreign.parent / "origin.git", "ls-tree", "-r", "--name-only", "windtunnel-results")
    (run,) = re.findall(rf"\S*py{re.escape(HERE)}\S*", stored)
    assert "conda-forge::eggs" in git(foreign.parent / "origin.git", "show", f"windtunnel-results:{run}")

    slower = "def boil():\n    return sum(range(20_000))\n"
    event = a_pull_request(foreign, forge, {"python/eggs-core/eggs_core/__init__.py": slower}, main="trunk")
    shutil.rmtree(acted.artifacts)
    acted = act(foreign, "pull_request", event, "windtunnel-pull-request.yml")
    assert acted.code == 0, acted.output
    assert prepared_jobs(foreign) == {"prepare": 1}
    assert not (acted.artifacts / "windtunnel-builds.1").exists()
    forge.run(5, event["pull_request"]["head"]["sha"], created_at=acted.jobs()[0]["started_at"])
    forge.jobs[5], forge.shelf = acted.jobs(), acted.artifacts.parent
    payload = {"action": "completed", "workflow_run": {"id": 5, "event": "pull_request"}}
    told = act(foreign, "workflow_run", payload, "windtunnel.yml", token=forge.token, GITHUB_API_URL=forge.url)
    assert told.code == 0, told.output
    ((body),) = [one["body"] for one in forge.comments]
    assert body.startswith("## Blocks merging: 2 of 2 benchmark cases became slower"), body
    assert "conda-forge::eggs" in body
    assert [one["conclusion"] for one in forge.checks] == ["failure"]


def test_a_pull_request_that_changes_documentation_builds_nothing(foreign, forge):
    """The setup command does not run either; the verdict is there at once, and the check succeeds without a comment."""
    event = a_pull_request(foreign, forge, {"docs/eggs.md": "Boil them.\n"}, main="trunk")
    acted = act(foreign, "pull_request", event, "windtunnel-pull-request.yml")
    assert acted.code == 0, acted.output
    assert not (foreign.parent / "setup.log").exists()
    assert acted.result("Prepare", "Build") in {None, "skipped"}
    assert (acted.artifacts / "windtunnel-verdict.1" / "verdict.json").is_file()
    assert not (acted.artifacts / "windtunnel-builds.1").exists()


@pytest.fixture
def apart(tmp_path, monkeypatch):
    """A project, and its suite in a repository of its own, each adopted and pushed to a bare repository."""
    project, suite = tmp_path / "project", tmp_path / "suite"
    for folder, files, argv in (
        (
            project,
            {"pyproject.toml": PYPROJECT, "eggs_core/__init__.py": "def boil():\n    return sum(range(2000))\n"},
            ["--suite", "org/spam-benchmarks"],
        ),
        (
            suite,
            {
                "asv.conf.json": json.dumps(
                    {
                        **CONFIGURATION,
                        "project": "eggs_core",
                        "repo": f"file://{tmp_path / 'project.git'}",
                        "pythons": [HERE],
                        "branches": ["HEAD"],
                        "build_command": [CONFIGURATION["build_command"][0].replace(" --no-build-isolation", "")],
                    }
                ),
                "pyproject.toml": f"[tool.windtunnel]\nresults-remote = 'file://{tmp_path / 'results.git'}'\n"
                f"[tool.windtunnel.ci]\nsite-branch = 'pages'\nsite-folder = 'perf'\n{VARIABLES}",
                "suite/__init__.py": "",
                "suite/boiling.py": SUITE,
            },
            [],
        ),
    ):
        folder.mkdir()
        git(folder, "init", "--quiet", "--initial-branch=trunk")
        change(folder, files, "eggs")
        monkeypatch.chdir(folder)
        with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a stream, not a file of ours
            init = ["init", "--pin", "@".join(PIN)]
            assert main([*init, *argv], nothing, nothing, os.environ) == 0
        change(folder, {}, "windtunnel")
        git(tmp_path, "clone", "--quiet", "--bare", folder.name, f"{folder.name}.git")
        git(folder, "remote", "add", "origin", str(tmp_path / f"{folder.name}.git"))
    git(tmp_path, "init", "--quiet", "--bare", "results.git")
    return project, suite


def test_a_suite_apart_measures_its_project_and_compares_its_pull_requests(apart, forge):
    """Results and the branch of the site go to a third repository; the project's workflow checks the suite out."""
    project, suite = apart
    root = project.parent
    payload = {"ref": "refs/heads/trunk", "after": git(suite, "rev-parse", "HEAD")}
    payload |= {"repository": {"full_name": "org/spam-benchmarks", "default_branch": "trunk"}}
    acted = acting.run(
        suite, root / "suite.git", "push", payload, root / "act-suite", workflow="windtunnel.yml",
        windtunnel="@".join(PIN), GITHUB_REPOSITORY="org/spam-benchmarks",
    )  # fmt: skip
    assert acted.code == 0, acted.output
    commit = git(project, "rev-parse", "--short=8", "HEAD~1")  # the newest one changes only workflows
    assert f"{commit}-" in git(root / "results.git", "ls-tree", "-r", "--name-only", "windtunnel-results")
    assert "perf/index.html" in git(root / "results.git", "ls-tree", "-r", "--name-only", "pages").splitlines()
    assert acted.result("Deploy", "Deploy") is None

    slower = "def boil():\n    return sum(range(20_000))\n"
    event = a_pull_request(project, forge, {"eggs_core/__init__.py": slower}, main="trunk")
    acted = acting.run(
        project, root / "project.git", "pull_request", event, root / "act-project",
        workflow="windtunnel-pull-request.yml",
        windtunnel="@".join(PIN), GITHUB_REPOSITORY="org/spam", STUB_SUITE=str(root / "suite.git"),
    )  # fmt: skip
    assert acted.code == 0, acted.output
    verdict = json.loads((acted.artifacts / "windtunnel-verdict.1" / "verdict.json").read_text(encoding="utf-8"))
    assert verdict["overall"] == "regressed"
    assert verdict["head"] == event["pull_request"]["head"]["sha"]

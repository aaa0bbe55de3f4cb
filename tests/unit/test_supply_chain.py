"""What jobs install: everything from hashes, and jobs that only comment install little."""

import functools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from builders.workflows import read_yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECTS = [ROOT / "pyproject.toml", *sorted((ROOT / "src").glob("*/pyproject.toml"))]
MAKEFILE = re.sub(r"^#.*\n", "", (ROOT / "Makefile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")


def variable(name):
    """The words of a variable in the Makefile, with those of the variables in it."""
    (text,) = re.findall(rf"^{name} := (.+)$", MAKEFILE, re.MULTILINE)
    return {one for word in text.split() for one in (variable(word[2:-1]) if word.startswith("$(") else [word])}


@functools.cache
def locked():
    """The packages of uv.lock by name; reading them takes longer than importing most tests."""
    return {one["name"]: one for one in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}


def needed(*names):
    """Everything that the packages *names* need on Linux: the workflows comment and measure there."""
    found, todo = set(), list(names)
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += [
                one["name"]
                for one in locked()[name].get("dependencies", ())
                if not re.search("win32|nt'", one.get("marker", ""))
            ]
    return found


def test_a_job_that_comments_installs_only_what_commenting_needs():
    """The Makefile names what is left out: a new dependency of asv would come along unnoticed."""
    whole = needed("windtunnel") - {"windtunnel"}
    assert variable("HEAVY") <= whole
    assert whole - variable("HEAVY") - variable("BUILD") == needed("filelock", "httpx", "msgspec") | {"packaging", "uv"}


LIGHT = {"comment"}
"""Commands of jobs that only comment."""


def test_jobs_with_the_light_tool_call_only_commands_that_it_can_run():
    """A command that needs more would end with a missing module."""
    called = set()
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        for job in read_yaml(path)["jobs"].values():
            calls = [step["run"].split() for step in job.get("steps", ()) if "run" in step]
            if any(call[0] == "make" and call[-1] == "tool-light" for call in calls):
                called |= {call[2 if call[1] == "ci" else 1] for call in calls if call[0] == "windtunnel"}
    assert called == LIGHT


@pytest.mark.parametrize("command", sorted(LIGHT))
def test_commenting_imports_nothing_that_such_a_job_leaves_out(command):
    """Each module would be missing there."""
    code = f"import sys, windtunnel.cli as cli; cli.functions_of({'ci ' + command!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    beside = {"rich", "pygments", "click"}  # httpx imports these for its own command where they are installed
    assert not loaded & ({name.replace("-", "_") for name in variable("HEAVY")} - beside)


def test_what_is_uninstalled_after_the_build_is_needed_for_nothing_else():
    """The whole tool goes on without the build backend."""
    assert variable("BUILD") <= needed("editables", "hatchling")
    assert not variable("BUILD") & needed("windtunnel")


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.parent.name)
def test_the_lock_has_what_builds_a_distribution(path):
    """`uv sync` builds it without isolation, with the hashes of the group ``build``."""
    project = tomllib.loads(path.read_text())
    assert set(project["build-system"]["requires"]) <= set(PROJECT["dependency-groups"]["build"])
    assert project["project"]["name"].replace("_", "-") in PROJECT["tool"]["uv"]["no-build-isolation-package"]


def test_pip_installs_nothing_without_a_hash():
    """Neither in the Makefile nor in a workflow; uv checks the hashes of uv.lock."""
    files = [*(ROOT / ".github").rglob("*.yml"), ROOT / "action.yml"]
    steps = [re.sub(r"\n +--", " --", path.read_text()) for path in files]
    text = "\n".join([MAKEFILE, *steps])
    calls = re.findall(r"pip install.*", text)
    assert calls
    for call in calls:
        assert "--require-hashes" in call
        assert "--only-binary :all:" in call
    for call in re.findall(r"uv sync.*", text):
        assert "--locked" in call
        assert "--no-build" in call

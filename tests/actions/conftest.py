"""A foreign project with our workflows, and a bare repository that it is pushed to."""

import os
import sys

import pytest
from actions import acting
from builders.repositories import git
from builders.suites import a_project, change
from forge.server import serving
from forge.state import Forge

from windtunnel.asv.pythons import find_interpreters, spec_order

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

SUITE = """\
from spam import work

def time_one():
    work(1)
time_one.version = "1"
time_one.number, time_one.repeat, time_one.warmup_time = 10, 3, 0

def time_two():
    work(2)
time_two.version = "1"
time_two.number, time_two.repeat, time_two.warmup_time = 10, 3, 0
"""


@pytest.fixture(autouse=True)
def needs_act():
    """Workflows are executed by act; without it nothing here can be."""
    if acting.act() is None:
        pytest.skip("act is not here: go install github.com/nektos/act@v0.2.89")


def two_pythons():
    """This Python and another one, where there is one."""
    found = {one.spec for one in find_interpreters(os.environ)}
    others = sorted(found & {"3.11", "3.12", "3.13", "3.14"} - {HERE}, key=spec_order)
    return (HERE, *others[:1])


@pytest.fixture
def forge():
    """GitHub's API on loopback; a request that GitHub does not describe fails the test."""
    with serving(Forge(repo="org/spam")) as served:
        yield served


@pytest.fixture
def adopted(tmp_path):
    """Makes a project that has our workflows; returns the clone."""

    def make(**what):
        clone = a_project(tmp_path / "clone", **{"pythons": (HERE,), "suite": SUITE} | what)
        acting.copy_workflows(clone)
        change(clone, {}, "workflows")
        git(tmp_path, "clone", "--quiet", "--bare", clone.name, "origin.git")
        git(clone, "remote", "add", "origin", str(tmp_path / "origin.git"))
        return clone

    return make

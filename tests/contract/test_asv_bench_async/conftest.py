"""A suite for each test, whose processes are forks of one that has imported asv_runner and this plugin."""

import functools
import os
from contextlib import ExitStack

import pytest
from builders import asv_suites
from builders.engines import forks_of


@pytest.fixture(scope="package")
def forks():
    """A function from a Python to one that forks processes of it which run asv's script."""
    with ExitStack() as stack:
        yield functools.cache(
            lambda python: stack.enter_context(forks_of(python, dict(os.environ), str(asv_suites.ASV_SCRIPT)))
        )


@pytest.fixture
def a_suite(tmp_path, bare_python, forks):
    """A function from sources to a suite in a folder of its own."""

    def make(python=None, **modules):
        python = python or bare_python()
        return asv_suites.a_suite(tmp_path, python, fork=forks(python), **modules)

    return make

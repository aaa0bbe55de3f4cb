"""An environment for each test process, and a suite for each test."""

import functools
import sys

import pytest
from builders import asv_suites


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory):
    """A function from a Python to an environment of it with asv_runner and the plugin only."""

    @functools.cache
    def make(python=sys.executable, **options):
        return asv_suites.a_bare_python(python, tmp_path_factory.mktemp("environment"), **options)

    return make


@pytest.fixture
def a_suite(tmp_path, bare_python):
    """A function from sources to a suite in a folder of its own."""

    def make(python=None, **modules):
        return asv_suites.a_suite(tmp_path, python or bare_python(), **modules)

    return make

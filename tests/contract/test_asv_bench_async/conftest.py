"""A suite for each test."""

import pytest
from builders import asv_suites


@pytest.fixture
def a_suite(tmp_path, bare_python):
    """A function from sources to a suite in a folder of its own."""

    def make(python=None, **modules):
        return asv_suites.a_suite(tmp_path, python or bare_python(), **modules)

    return make

"""A stand-in for GitHub for each test; a request that GitHub does not describe fails the test."""

import pytest
from forge.server import serving
from forge.state import Forge


@pytest.fixture
def forge():
    """GitHub's API on loopback."""
    with serving(Forge()) as served:
        yield served

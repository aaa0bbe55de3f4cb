"""A forge for each test; none may end with a request that GitHub's description does not allow."""

import pytest
from forge.server import serving
from forge.state import Forge


@pytest.fixture
def forge():
    """GitHub's interface on loopback."""
    with serving(Forge()) as served:
        yield served
    assert served.complaints == []
    assert served.leaks == []

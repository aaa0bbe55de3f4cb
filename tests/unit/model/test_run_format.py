"""The reasons in a run record."""

import pytest

from windtunnel.model.run_format import error_line

GIT = """\
error: unable to read sha1 file of docs/logo.gif (6f29479c)
Note: switching to 'd58a0b14'.
HEAD is now at d58a0b14 Introduce a page
"""
BUILD = """\
Found ninja-1.11.1 at /usr/bin/ninja
meson-python: error: The package requires Python version >=3.12, running on 3.11.7
TIP pass --env-dir to keep the build environment
ERROR Backend subprocess exited when trying to invoke build_wheel
"""
PIP = "ERROR: No matching distribution found for cudatoolkit\n\nnotice: a new release of pip is available\n"
TRACEBACK = """\
Traceback (most recent call last):
  File "suite.py", line 1, in <module>
    import missing
ModuleNotFoundError: No module named 'missing'
"""


@pytest.mark.parametrize(
    ("output", "line"),
    [
        pytest.param(GIT, "error: unable to read sha1 file of docs/logo.gif (6f29479c)", id="git"),
        pytest.param(BUILD, BUILD.splitlines()[1], id="a build tool"),
        pytest.param(PIP, "ERROR: No matching distribution found for cudatoolkit", id="pip"),
        pytest.param(TRACEBACK, "ModuleNotFoundError: No module named 'missing'", id="a traceback"),
        pytest.param("asv: benchmark timed out (timeout 60s)\n\n", "asv: benchmark timed out (timeout 60s)", id="asv"),
        pytest.param("pkg.Boom: too hot\n", "pkg.Boom: too hot", id="an exception with another name"),
        pytest.param(" \n", "no reason was given", id="nothing"),
    ],
)
def test_the_reason_is_the_line_that_states_the_error(output, line):
    """What a tool prints after its error explains nothing."""
    assert error_line(output) == line

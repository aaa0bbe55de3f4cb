"""An engine loads the plugins of asv that make environments and repositories, and none of its commands."""

import json
import subprocess
import sys

KNOWN = """
import json, sys
from asv import environment, repo, util
known = [[each.__name__ for each in util.iter_subclasses(base)] for base in (environment.Environment, repo.Repo)]
print(json.dumps([known, [name for name in sys.modules if name.startswith("asv.commands")]]))
"""
START = "from windtunnel.asv import start_engine; start_engine.load_asv()"


def loaded(first):
    """The environments and repositories that asv knows after the statement *first*, and its commands."""
    done = subprocess.run([sys.executable, "-c", first + KNOWN], capture_output=True, check=True)
    return json.loads(done.stdout)


def test_an_engine_knows_the_environments_and_repositories_that_asv_knows():
    """In the same order, because asv takes the first that fits; the commands are what is left out."""
    known, commands = loaded(START)
    all_known, all_commands = loaded("import asv")
    assert known == all_known
    assert commands == []
    assert all_commands

"""Suites in asv's own environment object of a Python as it is: nothing is built or installed."""

import json

from asv import environment
from asv.config import Config
from builders.folders import write_files

from windtunnel.asv.discovery import discover_modules
from windtunnel.asv.launcher import in_every_benchmark


def a_suite(folder, source):
    """The folder of a suite whose one module is called ``jobs``."""
    return write_files(folder / "suite", {"__init__.py": "", "jobs.py": source})


def an_environment(folder, python):
    """The environment of *python*, with a configuration in *folder*."""
    configuration = {"version": 1, "project": "spam", "environment_type": "existing", "repo": "."}
    write_files(folder, {"asv.conf.json": json.dumps(configuration)})
    (found,) = environment.get_environments(Config.load(str(folder / "asv.conf.json")), [f"existing:{python}"])
    return found


def entries_of(env, suite):
    """The benchmarks that asv finds, by name."""
    with in_every_benchmark():
        return {entry["name"]: {"timeout": 30, **entry} for entry in discover_modules(env, str(suite))[0]}

"""Counts cases of a suite with a Python, outside of any project that asv would build."""

import contextlib
import json
from pathlib import Path

from asv import environment
from asv.config import Config
from asv.runner import Spawner

from windtunnel.asv.discovery import discover_modules
from windtunnel.asv.instruction_counter import count_cases
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.measure import InstalledCommit, SetupCaches
from windtunnel.model.schedule import CountedCase

BATCH = 8
"""Cases of a request: a study that is interrupted loses no more."""


def environment_of(folder, python):
    """Return asv's object for the environment of *python*."""
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "asv.conf.json"
    configuration.write_text(
        json.dumps({"version": 1, "project": "studied", "repo": ".", "environment_type": "existing"})
    )
    (env,) = environment.get_environments(Config.load(str(configuration)), [f"existing:{python}"])
    return env


def discover(env, suite):
    """Return the entries of the suite by name."""
    with in_every_benchmark():
        return {entry["name"]: {"timeout": 60.0, **entry} for entry in discover_modules(env, str(suite))[0]}


def count(env, suite, entries, names, seeds, note):
    """Count the cases *names*, pairs of a benchmark and an index; *note* gets each with its counts."""
    count_sides({"head": env}, suite, entries, names, seeds, lambda _, one, counts: note(one, counts))


def count_sides(environments, suite, entries, names, seeds, note):
    """Count the cases in the environment of each side, as a comparison does; *note* gets side, case and counts."""
    with in_every_benchmark(), contextlib.ExitStack() as stack:
        commits = {}
        for side, env in environments.items():
            spawner = Spawner(env, str(suite))
            caches = SetupCaches(entries=entries, create=spawner.create_setup_cache)
            stack.enter_context(contextlib.closing(caches))
            commits[side] = InstalledCommit(env=env, suite=str(Path(suite).absolute()), entries=entries, caches=caches)
        for first in range(0, len(names), BATCH):
            batch = names[first : first + BATCH]
            cases = [
                CountedCase(commit=side, benchmark=name, index=index) for name, index in batch for side in environments
            ]
            for case, counts in count_cases(commits, cases, seeds):
                note(case.commit, (case.benchmark, case.index), counts)

"""Reach maps of a project that is not built: its repository is on the path of the suite's Python."""

import json
from contextlib import closing
from functools import cache

import pytest
from asv import environment
from asv.config import Config
from builders.records import a_build
from builders.repositories import git
from builders.suites import change

from windtunnel.asv import protocol
from windtunnel.asv.discovery import discover_modules
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.measure import InstalledCommit, SetupCaches
from windtunnel.asv.reach import case_key, map_cases
from windtunnel.formats import decode
from windtunnel.model.reach_map import KEPT_SCHEMA, KeptMap, MappedCase, ReachMap, pack
from windtunnel.model.schedule import CountedCase


def a_mapped_project(folder, files):
    """A repository with *files* (content by path) and a suite in the folder ``suite``."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    configuration = {"version": 1, "project": "spam", "environment_type": "existing", "repo": "."}
    return change(folder, {"asv.conf.json": json.dumps(configuration), "suite/__init__.py": "", **files}, "spam begins")


@cache
def _environment(configuration, python):
    (env,) = environment.get_environments(Config.load(str(configuration)), [f"existing:{python}"])
    return env


def a_map(folder, python, *, seconds=None, cases=None, found=None):
    """Map the suite in *folder* with *python*: the map, and the cases that ran for it; *found* are asv's entries."""
    env = _environment(folder / "asv.conf.json", python)
    suite, file = str(folder / "suite"), folder / ".windtunnel" / "map.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASV_PYTHONPATH", str(folder))
        with in_every_benchmark():
            found = found or discover_modules(env, suite)[0]
            entries = {one["name"]: {"timeout": 30, **one} for one in found}
            wanted = [
                CountedCase(commit="head", benchmark=name, index=index)
                for name, entry in entries.items()
                for index in range(len(entry["params"][0]) if entry["params"] else 1)
                if cases is None or name in cases
            ]
            with closing(SetupCaches(entries=entries, create=lambda *_: (None, "not asked for"))) as caches:
                commit = InstalledCommit(env=env, suite=suite, entries=entries, caches=caches)
                request = protocol.MapCases(cases=tuple(wanted), file=str(file), seconds=seconds)
                ran = []
                map_cases(request, commit, str(folder), git(folder, "rev-parse", "HEAD"), ran.append)
    mapped = decode(file.read_bytes(), ReachMap, str(file))
    return mapped, [case_key(one.case) for one in ran]


def a_kept_map(commit, cases=None, *, imports=None, build=None, **about):
    """The map of *commit* as results keep it: functions of each of *cases*, all of the module ``suite``."""
    cases = {"suite.time_it": {"spam.py": ("f",)}} if cases is None else cases
    found = {
        name: each if isinstance(each, MappedCase) else MappedCase(module="suite", functions=each)
        for name, each in cases.items()
    }
    given = {"date": 1, "python": "3.13", "environment": "py3.13", "suite": "0", "total": len(cases), **about}
    kept = KeptMap(schema=KEPT_SCHEMA, commit=commit, build=build or a_build(), **given)
    return pack(kept, ReachMap(imports={"suite": imports or {"suite.py": ("<module>",)}}, cases=found))

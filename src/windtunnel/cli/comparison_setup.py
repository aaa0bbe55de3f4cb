"""What ``compare`` and ``bisect`` share: what to measure, where, for how long."""

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from windtunnel.asv import machine
from windtunnel.asv.configuration import Configuration
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.pythons import find_interpreters, split_by_presence
from windtunnel.bench.shard_run import LOG
from windtunnel.cli.options import Parser, Voice
from windtunnel.cli.selection_options import make_planner, positive
from windtunnel.compare.format import ComparedMachine
from windtunnel.compare.request import ComparisonSetup, Listener
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository
from windtunnel.results.work_dir import WorkDir

FOLDER = "compare"
"""Below ``.windtunnel``: environments of both commits, kept from one comparison to the next."""


def add_where(parser: Parser) -> None:
    """Add the options that say where to measure and for how long."""
    add = parser.add_argument
    add(
        "--python",
        action="append",
        default=[],
        metavar="SPEC",
        help="on this Python, as 3.13; may be repeated (default: the first of the configuration that is here)",
    )
    add("--budget", type=positive, default=0, metavar="MIN", help="stop after so many minutes, building included")


def add_what(parser: Parser) -> None:
    """Add the options that say what to measure, and in which order."""
    add = parser.add_argument
    add("--bench", action="append", default=[], metavar="REGEX", help="only matching cases; may be repeated")
    add("--seed", type=int, default=None, metavar="N", help="of the random order (default: drawn, and noted)")


def seed_of(options: argparse.Namespace) -> int:
    """Return the seed that was asked for, or a fresh one."""
    return random.SystemRandom().randrange(2**31) if options.seed is None else options.seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where a comparison is asked for."""

    suite: Configuration
    repository: Repository
    env: Mapping[str, str]
    voice: Voice

    @property
    def work_dir(self) -> WorkDir:
        """The folder beside the suite, which one job at a time works in."""
        return WorkDir(root=self.suite.folder / ".windtunnel", results=self.suite.results_dir)

    def setting(self, pythons: Sequence[str], listen: Listener) -> ComparisonSetup:
        """Return where the comparison takes place; raises UsageError where none of the *pythons* is here."""
        suite, folder = self.suite, self.work_dir.root / FOLDER
        asked = tuple(pythons)
        present, absent = split_by_presence(asked or suite.asv.pythons, find_interpreters(self.env))
        if not present:
            names = ", ".join(asked or suite.asv.pythons)
            raise UsageError(f"none of the Pythons {names} is on this machine; 'windtunnel doctor' tells more")
        for spec in absent if asked else ():
            self.voice.warn(f"Python {spec} is not on this machine: nothing is compared on it")
        planner = make_planner(suite, self.repository, folder, self.env, self.voice)
        chosen = tuple(one.spec for one in present) if asked else (present[0].spec,)
        environments = tuple(one.environment for one in planner.environments(chosen))
        if suite.asv.environment_type == "existing" or not environments:
            raise UsageError(
                f"{suite.path}: environment_type {suite.asv.environment_type!r} gives no environment that could "
                "hold two commits; set it to 'uv' or 'virtualenv'"
            )
        here = machine.record(machine.read_system(self.env), self.env)
        return ComparisonSetup(
            project=suite.asv.project,
            config=suite.path,
            suite_in_repository=_inside(suite.benchmark_dir, self.repository.root),
            environments=environments,
            machine=ComparedMachine(name=here.name, description=f"{here.cpu}, {here.cores} cores, {here.os}"),
            expectations=suite.settings.expectations,
            supervisor=Supervisor(env=self.env, log=folder / LOG),
            folder=folder,
            clock=monotonic,
            listen=listen,
        )


def _inside(path: Path, root: Path) -> str:
    path, root = path.resolve(), root.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) and path != root else ""

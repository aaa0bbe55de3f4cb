"""What an engine is asked for.

One request is all that an engine gets, except that `Turns` follow `Compare`.
"""

from dataclasses import dataclass

from windtunnel.bench.format import Selection
from windtunnel.model.schedule import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """Ask which environments asv's matrix makes of each Python."""

    config: str
    pythons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discover:
    """Ask for the suite's benchmarks, written to the file *out* in asv's format.

    The first of *environments* and *commits* that can be installed will do.
    """

    config: str
    environments: tuple[str, ...]
    commits: tuple[str, ...]
    out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Ask for values of one commit in one environment.

    *benchmarks* and *machine* are files in asv's format; results are saved into the results tree *out*.
    """

    config: str
    environment: str
    commit: str
    selections: tuple[Selection, ...]
    benchmarks: str
    machine: str
    out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """Ask for *base* and *head*, built in an environment each below the folder *environments*.

    *suite_in_repository* is the suite's path in the repository, "" where it lies elsewhere. The benchmarks of base
    and head are written to the folder *out* as ``base.json`` and ``head.json``. Turns are asked for afterwards.
    """

    config: str
    environment: str
    base: str
    head: str
    suite_in_repository: str
    environments: str
    out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Ask for processes of the commits that an earlier `Compare` has built, in this order."""

    turns: tuple[Turn, ...]


Request = Describe | Discover | Measure | Compare | Turns

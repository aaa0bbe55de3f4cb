"""What each case of a suite runs with the project of one commit, and the form in which results keep it.

A kept map lists each function and each set of functions once: many cases run the same, and two commits differ little.
"""

import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from windtunnel import formats
from windtunnel.formats import Format
from windtunnel.model.identity import CommitHash
from windtunnel.model.run_format import Count, PythonBuild

MAX_MAP_BYTES = 8 * 2**20
"""A larger map is neither kept nor read; one of 131 cases that run 635 functions has 44 kB."""

Functions = dict[str, tuple[str, ...]]
"""Functions that ran: qualified names, without those of functions in them, by path in the repository.

``<module>`` is the code outside of functions, which runs at import."""


class MappedCase(Struct, frozen=True, kw_only=True):
    """What one case runs: its setup, its setup_cache, two calls and its teardown."""

    module: str
    """The module of the suite that it belongs to."""
    functions: Functions = {}
    """Functions of the project and of the suite."""
    reason: str = ""
    """Why it may run any other function too; empty if these are all."""


class ReachMap(Struct, frozen=True, kw_only=True):
    """What each case of a suite runs with the project of one commit."""

    suite: str = ""
    """A digest of the suite's files."""
    build: PythonBuild | None = None
    """The Python and its packages."""
    imports: dict[str, Functions] = {}
    """What the import of each module of the suite runs."""
    cases: dict[str, MappedCase] = {}
    """By ``benchmark-index`` in the file of a work folder, else by name."""


class KeptCase(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one case runs."""

    module: str
    """The module of the suite that it belongs to."""
    runs: Count
    """The index of its set of functions."""
    reason: str = ""
    """Why it may run any other function too; empty if these are all."""


class KeptMap(Struct, frozen=True, kw_only=True):
    """The map of one commit in one environment, kept with the results as ``records/reach-….record``."""

    schema: int
    """Version of the format."""
    commit: CommitHash
    """Full hash of the commit."""
    date: int
    """Its author date, in seconds since 1970."""
    python: str
    """Python as asv names it."""
    environment: str
    """Name of the environment as asv names it."""
    suite: str
    """A digest of the suite's files."""
    build: PythonBuild
    """The Python and its packages."""
    total: Count
    """Cases of the suite, of which ``cases`` may have a part."""
    files: dict[str, tuple[str, ...]] = {}
    """The functions that any case or import runs, by path in the repository; the first one has index 0."""
    sets: tuple[tuple[Annotated[int, Meta(ge=0)], ...], ...] = ()
    """Sets of functions, by their indices in ``files``."""
    imports: dict[str, Count] = {}
    """The index of the set that the import of each module of the suite runs."""
    cases: dict[str, KeptCase] = {}
    """What each case runs, by its name."""


def pack(about: KeptMap, found: ReachMap) -> KeptMap:
    """Return *about* with the imports and cases of *found*, whose cases have names as keys."""
    every = [*found.imports.values(), *(each.functions for each in found.cases.values())]
    pairs = sorted({pair for each in every for pair in _pairs(each)})
    files: dict[str, list[str]] = {}
    for path, name in pairs:
        files.setdefault(path, []).append(name)
    number = {pair: index for index, pair in enumerate(pairs)}

    def indices(functions: Functions) -> tuple[int, ...]:
        return tuple(sorted(number[pair] for pair in _pairs(functions)))

    sets = sorted({indices(each) for each in every})
    place = {each: index for index, each in enumerate(sets)}
    return replace(
        about,
        files={path: tuple(names) for path, names in files.items()},
        sets=tuple(sets),
        imports={module: place[indices(each)] for module, each in sorted(found.imports.items())},
        cases={
            name: KeptCase(module=each.module, runs=place[indices(each.functions)], reason=each.reason)
            for name, each in sorted(found.cases.items())
        },
    )


def unpack(kept: KeptMap) -> ReachMap:
    """Return what *kept* says, cases by name."""
    pairs = [(path, name) for path, names in kept.files.items() for name in names]
    sets = [_functions([pairs[index] for index in each]) for each in kept.sets]
    return ReachMap(
        suite=kept.suite,
        build=kept.build,
        imports={module: sets[index] for module, index in kept.imports.items()},
        cases={
            name: MappedCase(module=each.module, functions=sets[each.runs], reason=each.reason)
            for name, each in kept.cases.items()
        },
    )


def join_maps(one: KeptMap, other: KeptMap) -> KeptMap:
    """Return both maps of one commit and environment together; their order does not matter.

    The larger one is kept as it is if suite or packages differ.
    """
    less, more = sorted((one, other), key=lambda each: (len(each.cases), formats.encode(each)))
    if (less.commit, less.suite, less.build) != (more.commit, more.suite, more.build):
        return more
    before, after = unpack(less), unpack(more)
    imports = {
        module: _functions([*_pairs(before.imports.get(module, {})), *_pairs(after.imports.get(module, {}))])
        for module in before.imports.keys() | after.imports.keys()
    }
    entries = sorted((*before.cases.items(), *after.cases.items()), key=lambda each: not each[1].reason)
    return pack(replace(more, total=max(less.total, more.total)), ReachMap(imports=imports, cases=dict(entries)))


def _pairs(functions: Functions) -> Iterator[tuple[str, str]]:
    return ((path, name) for path, names in functions.items() for name in names)


def _functions(pairs: list[tuple[str, str]]) -> Functions:
    found: dict[str, set[str]] = {}
    for path, name in pairs:
        found.setdefault(path, set()).add(name)
    return {path: tuple(sorted(names)) for path, names in found.items()}


def _problems(kept: KeptMap) -> Iterator[str]:
    """Yield what is wrong with indices and names, which come from a branch that others may write."""
    functions = sum(map(len, kept.files.values()))
    if any(index >= functions for each in kept.sets for index in each):
        yield "a set names a function that is not listed"
    places = (*kept.imports.values(), *(each.runs for each in kept.cases.values()))
    if any(index >= len(kept.sets) for index in places):
        yield "a set is not listed"
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", kept.commit):
        yield "'commit' is not the hash of a commit"


KEPT_SCHEMA = 1

KEPT_FORMAT = Format(
    name="reach.json",
    type=KeptMap,
    schema=KEPT_SCHEMA,
    remedy="remove it; the next run on the main branch writes it again",
    check=_problems,
    indented=False,
)

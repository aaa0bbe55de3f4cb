"""Which cases a change can reach: those that run a changed function, by the reach map of head.

A case that runs unchanged functions only does on base what it does on head, so it is left out. A few of those cases,
drawn at random, are measured all the same: they are the control of the run and of the map.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from windtunnel.compare.case_matching import ComparableCase, ComparableCases
from windtunnel.compare.changed_code import ChangedCode
from windtunnel.compare.format import UNTOUCHED, NotCompared, Reach
from windtunnel.model.benchmark import CaseIdentity
from windtunnel.model.reach_map import Functions, MappedCase, ReachMap
from windtunnel.model.settings import Dependency, path_matches

GUARD_SHARE = 0.05
"""The share of the cases out of reach that are measured as a control; at least one."""


def reach_without_map(
    cases: int, code: ChangedCode, dependencies: Sequence[Dependency], differences: Sequence[str]
) -> Reach:
    """Return the reach of a change that no map can attribute; one that reaches nothing if a map has to say it.

    *differences* are those of installed packages. Files that *dependencies* name are attributed by them.
    """
    named = [pattern for one in dependencies for pattern in one.paths]
    others = tuple(path for path in code.others if not any(path_matches(path, each) for each in named))
    if not (others or differences):
        return Reach(cases=cases)
    return Reach(cases=cases, reached=cases, unattributed=others)


def known_cases(mapped: ReachMap, code: ChangedCode, dependencies: Sequence[Dependency]) -> ReachMap:
    """Return what *mapped*, the map of another commit, says of cases for which it holds on head too.

    They run nothing that differs on head: *code* has the functions of the other commit that do. What differs and cannot
    be attributed may concern any case.
    """
    run = {path for each in _all_functions(mapped) for path in each}
    if code.builds(run) or code.installs or reach_without_map(len(mapped.cases), code, dependencies, ()).reached:
        return replace(mapped, imports={}, cases={})
    imports = {module: each for module, each in mapped.imports.items() if not _touched(each, code)}
    cases = {
        name: each
        for name, each in mapped.cases.items()
        if each.module in imports
        and not (each.reason or _touched(each.functions, code) or _depends(name, code, dependencies))
    }
    return replace(mapped, imports=imports, cases=cases)


def choose_reached(
    comparable: ComparableCases, code: ChangedCode, mapped: ReachMap, dependencies: Sequence[Dependency], seed: int
) -> tuple[ComparableCases, Reach]:
    """Return *comparable* with the cases that the change can reach and the control, and which those are.

    A case that head's suite adds or changes counts as reached, and so does one that *mapped* does not have.
    """
    total = len(comparable.cases)
    run = {path for each in _all_functions(mapped) for path in each}
    if builds := code.builds(run):
        return comparable, Reach(cases=total, reached=total, unattributed=builds)
    reached = {
        one.samples.identity
        for one in comparable.cases
        if one.samples.suite_change
        or _depends(one.case.name, code, dependencies)
        or (code.functions and _runs(one, code, mapped))
    }
    others = [one for one in comparable.cases if one.samples.identity not in reached]
    guard: Sequence[ComparableCase] = ()
    if reached and others:
        size = max(1, round(GUARD_SHARE * len(others)))
        guard = random.Random(seed).sample(others, size)  # noqa: S311 - a sample, not a secret
    kept = reached | {one.samples.identity for one in guard}
    left_out = [NotCompared.of(one.samples, UNTOUCHED) for one in others if one.samples.identity not in kept]
    touched = {path for each in _all_functions(mapped) for path in _touched(each, code)}
    complete = all(_mapped(one, mapped) for one in comparable.cases)
    nowhere = code.functions.keys() - touched if complete else ()
    imported = {path for each in mapped.imports.values() for path in _touched(each, code)}
    reach = Reach(
        cases=total,
        reached=len(reached),
        guard=tuple(_identity(one.samples) for one in guard),
        imported=tuple(sorted(imported)),
        unreached=tuple(sorted(nowhere)) if code.functions else code.installs,
    )
    missing = {**comparable.missing, "unaffected": [*comparable.missing["unaffected"], *left_out]}
    cases = tuple(one for one in comparable.cases if one.samples.identity in kept)
    return replace(comparable, cases=cases, missing=missing), reach


def sort_cases(
    cases: Sequence[ComparableCase], code: ChangedCode, mapped: ReachMap, seen: Mapping[str, int], seed: int
) -> tuple[ComparableCase, ...]:
    """Return *cases* in the order in which they are measured where the time does not suffice for all.

    Those that are known to run most of what changed come first, then those that were not measured for longest: *seen*
    has the time of the last result of each benchmark, 0 for one without results. The rest is random.
    """
    shuffled = random.Random(seed).sample(cases, len(cases))  # noqa: S311 - an order, not a secret
    return tuple(
        sorted(shuffled, key=lambda one: (-_count_changed(one, code, mapped), seen.get(one.samples.benchmark, 0)))
    )


def join_reach(parts: Sequence[Reach]) -> Reach | None:
    """Return the reach of several environments or shards together; None without any."""
    if not parts:
        return None
    nowhere = set.intersection(*({*part.unreached} for part in parts))

    def names(field: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in parts for name in getattr(part, field)))

    return Reach(
        cases=sum(part.cases for part in parts),
        reached=sum(part.reached for part in parts),
        guard=tuple(dict.fromkeys(one for part in parts for one in part.guard)),
        imported=names("imported"),
        unreached=tuple(sorted(nowhere)),
        unattributed=names("unattributed"),
        map_commit=next((part.map_commit for part in parts if part.map_commit), ""),
    )


def _runs(one: ComparableCase, code: ChangedCode, mapped: ReachMap) -> bool:
    """Return whether a case runs changed code, its module does so when it is imported, or neither is known."""
    found = _mapped(one, mapped)
    return found is None or any(_touched(each, code) for each in (found.functions, mapped.imports[found.module]))


def _mapped(one: ComparableCase, mapped: ReachMap) -> MappedCase | None:
    """Return what a case runs; None if the map does not have all of it."""
    found = mapped.cases.get(one.case.name)
    return None if found is None or found.reason or found.module not in mapped.imports else found


def _count_changed(one: ComparableCase, code: ChangedCode, mapped: ReachMap) -> int:
    """Return how many functions that changed a case is known to run, apart from the import."""
    found = mapped.cases.get(one.case.name)
    return sum(
        len(names.intersection((found.functions if found else {}).get(path, ())))
        for path, names in code.functions.items()
    )


def _touched(functions: Functions, code: ChangedCode) -> tuple[str, ...]:
    """Return the files of which *functions* has one that changed."""
    return tuple(path for path, names in code.functions.items() if not names.isdisjoint(functions.get(path, ())))


def _depends(name: str, code: ChangedCode, dependencies: Sequence[Dependency]) -> bool:
    """Return whether the settings say that a case depends on a changed file."""
    paths = [path for one in dependencies if re.search(one.match, name) for path in one.paths]
    return any(path_matches(path, each) for path in (*code.functions, *code.others, *code.installs) for each in paths)


def _all_functions(mapped: ReachMap) -> Iterable[Functions]:
    return (*mapped.imports.values(), *(each.functions for each in mapped.cases.values()))


def _identity(case: CaseIdentity) -> CaseIdentity:
    return CaseIdentity(benchmark=case.benchmark, params=case.params, environment=case.environment)

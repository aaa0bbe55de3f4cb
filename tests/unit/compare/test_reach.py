"""Which cases a change can reach, and what the report says of the others."""

import pytest
from builders.processes import a_comparable_case
from msgspec.structs import replace

from windtunnel.compare.case_matching import ComparableCases
from windtunnel.compare.changed_code import ChangedCode
from windtunnel.compare.format import MISSING_KINDS, UNTOUCHED, Reach
from windtunnel.compare.reach import choose_reached, join_reach, known_cases, reach_without_map, sort_cases
from windtunnel.model.reach_map import MappedCase, ReachMap
from windtunnel.model.settings import Dependency

NAMES = [f"suite.time_{number}" for number in range(60)]


def comparable(names=NAMES, **settings):
    cases = tuple(a_comparable_case(name) for name in names)
    cases = tuple(replace(one, samples=replace(one.samples, **settings)) for one in cases)
    return ComparableCases(cases=cases, missing={kind: [] for kind in MISSING_KINDS})


def a_map(functions, imports=None):
    """A map in which each case runs `shared.py:used`, and some of NAMES further functions."""
    cases = {
        name: MappedCase(module="suite", functions={"shared.py": ("used",), **functions.get(name, {})})
        for name in NAMES
    }
    return ReachMap(imports={"suite": imports or {"shared.py": ("<module>",)}}, cases=cases)


def chosen(code, mapped, dependencies=(), seed=1, **settings):
    """The names of the cases that are measured, and the reach."""
    found, reach = choose_reached(comparable(**settings), code, mapped, dependencies, seed)
    left_out = found.missing["unaffected"]
    assert len(found.cases) + len(left_out) == len(NAMES)
    assert {one.reason for one in left_out} <= {UNTOUCHED}
    return [one.samples.benchmark for one in found.cases], reach


def code(path="a.py", *names):
    return ChangedCode(functions={path: frozenset(names)})


def test_cases_that_run_a_changed_function_are_measured_with_a_control():
    """One in twenty of the others is drawn at random, by the seed."""
    mapped = a_map({NAMES[0]: {"a.py": ("f", "g")}, NAMES[1]: {"a.py": ("h",)}})
    names, reach = chosen(code("a.py", "f"), mapped)
    control = [one.benchmark for one in reach.guard]
    assert sorted(names) == sorted([NAMES[0], *control])
    assert (reach.cases, reach.reached, len(control)) == (60, 1, 3)
    assert chosen(code("a.py", "f"), mapped)[0] == names
    assert chosen(code("a.py", "f"), mapped, seed=2)[0] != names


def test_a_file_is_unreached_only_if_the_map_has_all_cases():
    """Where Python 3.10 cannot map a suite, or a case starts processes, the changed code may run all the same."""
    whole = a_map({})
    name, first = next(iter(whole.cases.items()))
    partial = replace(whole, cases={**whole.cases, name: replace(first, reason="starts processes")})
    assert chosen(code("a.py", "f"), partial)[1].unreached == ()
    assert chosen(code("a.py", "f"), ReachMap())[1].unreached == ()


def test_a_change_that_nothing_runs_measures_nothing():
    """Not even a control; the report names the file."""
    names, reach = chosen(code("a.py", "f"), a_map({}))
    assert names == []
    assert (reach.reached, reach.guard, reach.unreached) == (0, (), ("a.py",))


def test_code_that_runs_at_import_reaches_all_cases_of_the_module():
    """The report names the file."""
    names, reach = chosen(code("shared.py", "<module>"), a_map({}))
    assert len(names) == reach.reached == 60
    assert reach.imported == ("shared.py",)


@pytest.mark.parametrize("case", [None, MappedCase(module="suite", reason="no end"), MappedCase(module="not imported")])
def test_a_case_that_is_not_wholly_known_is_reached(case):
    """It may run anything."""
    mapped = a_map({})
    cases = {**mapped.cases, NAMES[0]: case}
    known = replace(mapped, cases={name: each for name, each in cases.items() if each})
    assert chosen(code("a.py", "f"), known)[1].reached == 1


def test_cases_that_the_suite_adds_or_changes_are_measured():
    """They are what a pull request shows."""
    assert chosen(code("a.py", "f"), a_map({}), suite_change="new")[1].reached == 60


def test_settings_name_what_a_map_does_not_see():
    """A file that they name reaches the cases that they name, and no others; any other file reaches all."""
    depends = [Dependency(match="time_7$", paths=("data/", "src/*.c"))]
    data = ChangedCode(others=("data/x.json",))
    assert reach_without_map(60, data, depends, ()) == Reach(cases=60)
    names, reach = chosen(data, ReachMap(), depends)
    assert (NAMES[7] in names, reach.reached) == (True, 1)
    assert reach_without_map(60, ChangedCode(others=("other.json",)), depends, ()) == Reach(
        cases=60, reached=60, unattributed=("other.json",)
    )


def test_other_packages_reach_all():
    """A dependency is no part of the diff. A lock file reaches nothing where all packages are the same."""
    lock = ChangedCode(installs=("uv.lock",))
    assert chosen(lock, ReachMap())[1] == Reach(cases=60, unreached=("uv.lock",))
    assert not known_cases(a_map({}), lock, ()).cases
    assert reach_without_map(60, code("a.py", "f"), (), ("eggs 1 → 2",)).reached == 60


def test_a_file_that_builds_reaches_all_unless_cases_run_it():
    """It may write code that a map has under another name."""
    changed = code("tools/build_tables.py", "f")
    names, reach = chosen(changed, a_map({}))
    assert (len(names), reach.unattributed) == (60, ("tools/build_tables.py",))
    assert chosen(changed, a_map({NAMES[3]: {"tools/build_tables.py": ("f",)}}))[1].reached == 1


def test_parts_of_a_comparison_are_added():
    """A file is unreached if no part reaches it."""
    one = Reach(cases=3, reached=1, unreached=("a.py", "b.py"), imported=("c.py",))
    other = Reach(cases=4, reached=0, unreached=("a.py",))
    assert join_reach([one, other]) == Reach(cases=7, reached=1, unreached=("a.py",), imported=("c.py",))
    assert join_reach([]) is None


def test_the_map_of_another_commit_holds_for_cases_that_run_nothing_that_differs():
    """The others run again: those that run it, whose module runs it at import, or that are not wholly seen."""
    mapped = a_map({NAMES[0]: {"a.py": ("f",)}, NAMES[1]: {"a.py": ("g",)}})
    mapped.cases[NAMES[2]] = MappedCase(module="suite", reason="starts processes")
    held = known_cases(mapped, code("a.py", "f"), ())
    assert held.cases == {name: each for name, each in mapped.cases.items() if name not in {NAMES[0], NAMES[2]}}
    assert held.imports == mapped.imports
    assert known_cases(mapped, code("shared.py", "<module>"), ()) == ReachMap()


def test_the_map_of_another_commit_says_nothing_where_a_difference_cannot_be_attributed():
    """Data, C and files of a build; unless the settings name who depends on them."""
    mapped, data = a_map({}), ChangedCode(others=("data/x.json",))
    assert not known_cases(mapped, data, ()).cases
    assert not known_cases(mapped, code("tools/build_tables.py", "f"), ()).cases
    held = known_cases(mapped, data, [Dependency(match="time_7$", paths=("data/",))])
    assert held.cases.keys() == {*NAMES} - {NAMES[7]}


def test_cases_that_run_most_of_what_changed_come_first_then_those_not_measured_for_longest():
    """A case without results was never measured; among the rest the seed decides."""
    mapped = a_map({NAMES[5]: {"a.py": ("f", "g")}, NAMES[6]: {"a.py": ("f",)}, NAMES[8]: {"a.py": ("f",)}})
    seen = {name: 1000 + number for number, name in enumerate(NAMES)} | {NAMES[8]: 0}
    del seen[NAMES[40]]
    found = sort_cases(comparable().cases, code("a.py", "f", "g"), mapped, seen, 1)
    names = [one.samples.benchmark for one in found]
    assert names[:5] == [NAMES[5], NAMES[8], NAMES[6], NAMES[40], NAMES[0]]
    assert names[5:8] == NAMES[1:4]
    assert sort_cases(found, code("b.py", "x"), mapped, {}, 1) != sort_cases(found, code("b.py", "x"), mapped, {}, 2)

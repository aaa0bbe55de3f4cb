"""The study of real suites makes the heads that it says it makes, and counts its answers rightly."""

import dis

import pytest

from studies.real_suites.__main__ import table
from studies.real_suites.answers import judged
from studies.real_suites.injections import alike, candidates, definitions, slowed

SOURCE = '''
def plain(number):
    """Words
that are not indented."""
    text = """a
b"""
    return [number, text]


class Job:
    def method(self):
        return sum(range(20_000))

    def generator(self):
        yield 1
'''


@pytest.fixture
def module(tmp_path):
    """A file of a project, and what running it defines."""
    file = tmp_path / "module.py"
    file.write_text(SOURCE)

    def run():
        names = {}
        exec(compile(file.read_text(), str(file), "exec"), names)
        return names

    return file, run


def test_a_head_without_a_change_runs_the_same(module):
    """Its text and syntax tree differ, so that the function counts as changed; its bytecode has one more NOP."""
    file, run = module
    before = operations(run()["plain"])
    alike(file, "plain")
    assert file.read_text() != SOURCE
    assert operations(run()["plain"]) == before


def operations(function):
    """What a function does, in order."""
    return [(one.opname, one.argval) for one in dis.get_instructions(function) if one.opname != "NOP"]


def test_a_slowed_function_returns_the_same(module):
    """It begins with a loop of so many turns. Generators are left out: their time is that of their callers."""
    file, run = module
    assert {name for name, _ in definitions(file)} == {"plain", "Job.method"}
    slowed(file, "Job.method", 40)
    slowed(file, "plain", 7)
    found = run()
    assert found["Job"]().method() == sum(range(20_000))
    assert found["plain"](1) == [1, "a\nb"]
    assert "for _slow in range(40):" in file.read_text()


def test_a_loop_adds_its_share_to_the_case(tmp_path):
    """A tenth of a second in a thousand calls are 0.1 ms each; what is called too often cannot be slowed down."""
    (tmp_path / "module.py").write_text(SOURCE)
    line = SOURCE.splitlines().index("def plain(number):") + 1
    functions = {"module.py": ["plain", "Job.method"]}

    def found(calls):
        return candidates(tmp_path, functions, 0.1, 1.0, 1e-8, [["/env/module.py", line, calls]])

    ((path, name, turns),) = found(1000)
    assert (path, name) == ("module.py", "plain")
    assert turns == pytest.approx(1e-4 / 1e-8, rel=0.01)
    assert not found(10**7)


def test_answers_are_judged_by_the_case_and_the_function():
    """A slowdown where the function does not run is false, and so is each improvement."""
    rows = [
        {"benchmark": "time_it", "verdict": "regressed", "cause": {"functions": [{"name": "Job.method"}]}},
        {"benchmark": "time_other", "verdict": "regressed"},
        {"benchmark": "time_third", "verdict": "improved"},
        {"benchmark": "time_fourth", "verdict": "inconclusive"},
    ]
    lines = [
        (30.0, "screening: 4 cases"),
        (60.0, "2 unchanged, of 4 cases"),
        (90, "1 slower"),
        (90, "What to do: fix it"),
    ]
    spent = {"seconds": 120.0, "cpu": 60.0, "load": 3.0, "lines": lines}
    answer = {"comparisons": rows, "reach": {"reached": 2}, "overall": "regressed"}, spent
    found = judged(answer, {"time_it-0", "time_it-1"}, "time_it-0", "Job.method")
    assert (found["first"], found["headline"]) == (1, "1 slower")
    assert (found["found"], found["named"], found["false"], found["decided"]) == (True, True, 2, 3)
    assert judged(answer, set())["false"] == 3
    row = "| windtunnel compare | +10 % | 1 | 2 / 4 / 3 | 1 of 1 | 1 of 1 | 1 of 1 | 2.0 | 1.0 | 3 |"
    assert row in table([{"trial": ["slower", 10, 0], **found}])

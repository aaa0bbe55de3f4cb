"""Histories of pytest-benchmark and github-action-benchmark become runs that asv and Windtunnel read."""

import copy
import json
import random
from pathlib import Path

import pytest
from asv.results import iter_results
from builders.commands import run_command

from windtunnel.errors import ExitCode
from windtunnel.model.run import Interval, Measured
from windtunnel.results.foreign import build_tree, name_of_test, read_sessions
from windtunnel.results.tree import read_tree, write_tree

HASH = "0123456789abcdef0123456789abcdef01234567"


def a_test(name, median=0.002, **params):
    case = "-".join(map(str, params.values()))
    return {
        "group": None,
        "name": name,
        "fullname": f"tests/test_url.py::{name}" + (f"[{case}]" if params else ""),
        "params": params or None,
        "param": case or None,
        "stats": {
            "min": 0.001, "max": 0.01, "median": median, "q1": 0.0015, "q3": 0.0025, "rounds": 3, "iterations": 7,
            "data": [0.0015, median, 0.0025],
        },
    }  # fmt: skip


def a_session(*tests, commit=HASH, moment="2026-05-01T10:00:00", **commit_info):
    """A file as pytest-benchmark 5 saves it, without what is not read."""
    return {
        "machine_info": {
            "node": "runner-7", "machine": "x86_64", "system": "Linux", "python_version": "3.13.1",
            "python_implementation": "CPython", "cpu": {"brand_raw": "AMD EPYC 7763", "count": 4},
        },
        "commit_info": {
            "id": commit, "time": "2026-05-01T09:00:00+00:00", "author_time": "2026-04-30T08:00:00+02:00",
            "dirty": False, **commit_info,
        },
        "benchmarks": list(tests),
        "datetime": moment,
        "version": "5.3.1",
    }  # fmt: skip


def data_js(*benches, tool="pytest", commit=HASH, **entries):
    """A data.js as github-action-benchmark writes it."""
    session = {
        "commit": {"id": commit, "timestamp": "2026-05-01T10:00:00+09:00", "message": "m", "url": "u"},
        "date": 1777600000000,
        "tool": tool,
        "benches": list(benches),
    }
    data = {"lastUpdate": 1, "repoUrl": "u", "entries": {"Python Benchmark": [session], **entries}}
    return f"window.BENCHMARK_DATA = {json.dumps(data, indent=2)}\n;".encode()


def imported(*contents, machine="", python=""):
    """The tree of files, and the problems."""
    sessions, problems = [], []
    for number, content in enumerate(contents):
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        found, doubts = read_sessions(text, f"file{number}", machine, python)
        sessions += found
        problems += map(str, doubts)
    return build_tree(sessions), problems


def test_a_session_of_pytest_benchmark_is_a_run():
    """Median, quartiles and samples stay; machine, Python, commit and its date are those of the file."""
    tree, problems = imported(a_session(a_test("test_join")))
    (run,), (machine,), (benchmark,) = tree.runs, tree.machines, tree.benchmarks
    assert problems == []
    assert (run.commit, run.date, run.environment.python) == (HASH, 1777528800000, "3.13")
    assert run.environment.name == "pytest-benchmark-py3.13"
    assert run.machine == machine.name == "amd-epyc-7763-4cpu-linux"
    assert (machine.detail("cpu"), machine.detail("num_cpu")) == ("AMD EPYC 7763", "4")
    assert (benchmark.name, benchmark.type_word, benchmark.unit) == ("tests.test_url.test_join", "time", "seconds")
    assert run.rows[0].results == (
        Measured(
            value=0.002,
            quartiles=Interval(low=0.0015, high=0.0025),
            number=7,
            repeat=3,
            samples=(0.0015, 0.002, 0.0025),
        ),
    )


def test_parameters_are_those_of_the_suite_of_the_same_tests():
    """A parameter for each ``parametrize``; one that has all cases where they are not all combinations."""
    grid = [a_test("test_grid", kind=kind, size=size) for kind in ("one", "two") for size in (10, 20)]
    tree, _ = imported(a_session(*grid, a_test("test_odd", kind="a", size=1), a_test("test_odd", kind="b", size=2)))
    found = {
        benchmark.name.rpartition(".")[2]: (benchmark.param_names, benchmark.params) for benchmark in tree.benchmarks
    }
    assert found == {
        "test_grid": (("kind", "size"), (("'one'", "'two'"), ("10", "20"))),
        "test_odd": (("case",), (("'a-1'", "'b-2'"),)),
    }
    (row,) = (row for row in tree.runs[0].rows if row.name.endswith("grid"))
    assert len(row.results) == 4


def test_of_two_sessions_of_a_commit_the_newer_one_counts():
    """Other tests of the older one stay."""
    older = a_session(a_test("test_a", 1.0), a_test("test_b", 1.0), moment="2026-05-01T10:00:00")
    tree, _ = imported(a_session(a_test("test_a", 2.0), moment="2026-05-02T10:00:00"), older)
    assert {row.name[-1]: row.results[0].value for row in tree.runs[0].rows} == {"a": 2.0, "b": 1.0}


def test_calls_a_second_become_seconds_and_other_units_stay():
    """github-action-benchmark keeps pytest's ``ops``; machine and Python are not in its file."""
    tests = data_js({"name": "tests/test_a.py::test_b[1]", "value": 500, "unit": "iter/sec", "range": "x"})
    tree, problems = imported(tests, machine="box", python="3.12")
    (run,), (benchmark,) = tree.runs, tree.benchmarks
    assert problems == []
    assert (run.machine, run.environment.python) == ("box", "3.12")
    assert run.environment.name == "github-action-benchmark-python-benchmark"
    assert (benchmark.name, benchmark.type_word, benchmark.params) == ("tests.test_a.test_b", "time", (("1",),))
    assert run.rows[0].results[0].value == 0.002
    others = data_js(
        {"name": "Fib - 10", "value": 30, "unit": "ns/iter"}, {"name": "size", "value": 5, "unit": "MB"}, tool="cargo"
    )
    tree, _ = imported(others)
    found = {one.name: (one.type_word, one.unit) for one in tree.benchmarks}
    assert found == {"Fib - 10": ("time", "seconds"), "size": ("track", "MB")}
    assert tree.runs[0].rows[0].results[0].value == pytest.approx(30e-9)
    assert tree.runs[0].machine == tree.runs[0].environment.python == "unknown"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not UTF-8"),
        ([], "is neither a file that pytest-benchmark saved nor"),
        ({"benchmarks": []}, "machine_info: is not usable"),
        (a_session(dirty=True), "uncommitted changes"),
        (a_session(commit="unknown"), "'unknown', not the hash of a commit"),
        (a_session(author_time="noon"), "'noon', not a date"),
        (b"window.BENCHMARK_DATA = []", "has no entries"),
        (data_js(commit="x"), "'x', not the hash of a commit"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=str,
)
def test_a_file_that_cannot_be_read_is_a_problem_and_loses_no_other(content, why):
    """The message names the file and says why."""
    tree, problems = imported(content, a_session(a_test("test_a")))
    assert len(tree.runs) == 1
    assert len(problems) == 1
    assert "file0" in problems[0]
    assert why in problems[0]


def test_a_test_that_cannot_be_read_loses_no_other():
    """In both kinds of files."""
    broken = [None, {}, a_test("test_nan", float("nan")), {**a_test("test_x"), "fullname": 5}]
    tree, problems = imported(a_session(*broken, a_test("test_a")))
    assert [row.name for row in tree.runs[0].rows] == ["tests.test_url.test_a"]
    assert len(problems) == 4
    bench = {"name": "a", "value": 1, "unit": "iter/sec"}
    tree, problems = imported(data_js({**bench, "value": 0}, {**bench, "value": "x"}, 5, bench, other=[7]))
    assert [row.name for row in tree.runs[0].rows] == ["a"]
    assert len(problems) == 4
    assert any("entries.other[0]" in problem for problem in problems)


def damaged(value, rng):
    """A copy of *value* in which one thing, anywhere, is another."""
    made = copy.deepcopy(value)
    place = made
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = rng.choice(keys)
        if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.3:
            place[key] = rng.choice([None, {}, [], "", "text", -1, 10**400, True, [[1]], float("nan"), {"a": 1}])
            return made
        place = place[key]


@pytest.mark.parametrize("seed", range(300))
def test_no_damage_ends_the_import(seed, tmp_path):
    """What is left can be written and read again."""
    rng = random.Random(seed)
    session = a_session(a_test("test_a", size=1), a_test("test_a", size=2), a_test("test_b"))
    text = data_js({"name": "a", "value": 1, "unit": "ms"}, {"name": "b::c", "value": 2, "unit": "iter/sec"}).decode()
    action = json.loads(text.partition("=")[2].strip().rstrip(";"))
    if rng.random() < 0.5:
        content = json.dumps(damaged(session, rng)).encode()
    else:
        content = f"window.BENCHMARK_DATA = {json.dumps(damaged(action, rng))}".encode()
    if rng.random() < 0.3:
        content = content[: rng.randrange(len(content))]
    tree, _ = imported(content, a_session(a_test("test_c")))
    write_tree(tree, tmp_path)
    again = read_tree(tmp_path)
    assert again.problems == ()
    assert len(again.runs) == len(tree.runs) >= 1


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ("tests/test_a.py::test_b", "tests.test_a.test_b"),
        ("tests/a-b/test_c.py::TestD::TestE::test_f", "tests.a_b.test_c.TestD_TestE.test_f"),
        ("Fib(10) - ns/op", "Fib(10) - ns/op"),
        ("\x00", "unknown"),
    ],
)
def test_a_test_has_the_name_that_the_suite_gives_it(node, name):
    """Anything else keeps its own."""
    assert name_of_test(node) == name


def test_the_command_imports_what_it_can_and_again_changes_nothing(tmp_path, monkeypatch):
    """Exit code 3 says that something is missing; what the tree holds already is kept."""
    monkeypatch.chdir(tmp_path)
    saved = tmp_path / ".benchmarks" / "Linux-CPython-3.13-64bit"
    saved.mkdir(parents=True)
    (saved / "0001_a.json").write_text(json.dumps(a_session(a_test("test_a"))))
    (tmp_path / "data.js").write_bytes(data_js({"name": "size", "value": 5, "unit": "MB"}))
    argv = ["import", ".benchmarks", "data.js", "--into", "results"]
    imported = "results: 2 runs of 2 benchmarks imported from 2 files; 0 problems\n"
    assert run_command(argv, {})[:2] == (ExitCode.FINE, imported)
    before = {path: path.read_bytes() for path in Path("results").rglob("*.json")}
    assert len(before) == 5
    (saved / "0002_b.json").write_text("{")
    _, _, err = run_command(["import", "absent.json", *argv[1:]], {}, code=ExitCode.DATA)
    assert "0002_b.json: is not JSON" in err
    assert "absent.json: cannot be read: No such file or directory" in err
    assert {path: path.read_bytes() for path in Path("results").rglob("*.json")} == before
    assert len(list(iter_results("results"))) == 2
    code, _, err = run_command(["import", "absent.json", "--into", "other"], {})
    assert (code, "nothing was imported" in err) == (ExitCode.DATA, True)
    assert not Path("other").exists()

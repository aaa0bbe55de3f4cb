"""asv_runner runs the tests of a project as benchmarks, with the fixtures of the real plugins installed."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import product

import pytest
from asv.runner import BENCHMARK_RUN_SCRIPT
from builders import suite_processes
from builders.asv_suites import PYTEST
from builders.engines import forks_of
from builders.existing import an_environment
from builders.repositories import a_repository

from windtunnel.asv.discovery import MODULE_DISCOVERY_SCRIPT
from windtunnel.asv.function_profiler import profile_case
from windtunnel.asv.instruction_counter import count_cases
from windtunnel.asv.measure import InstalledCommit, SetupCaches
from windtunnel.asv.paired_engine import IN_FILE, RAN_IN_FILE
from windtunnel.git.repository import Repository
from windtunnel.model.case_choice import MARKERS
from windtunnel.model.schedule import CountedCase
from windtunnel.model.settings import Settings
from windtunnel.pytest_suite.suite import SUITE, write_suite

PYPROJECT = """
[project]
name = "spam"
[dependency-groups]
bench = ["pytest-benchmark"]
[tool.pytest.ini_options]
addopts = "-n auto --cov=spam --benchmark-disable --strict-markers"
filterwarnings = ["error"]
strict_config = true
cache_dir = ".cache"
"""


class Project:
    """A repository with tests, and the suite that is written for it."""

    def __init__(self, where, **tests):
        self.root = a_repository(where / "spam", "first")
        (self.root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
        for name, text in tests.items():
            path = self.root / "tests" / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.configuration = write_suite(self.root, Repository.at(self.root, os.environ))
        self.suite = self.configuration.benchmark_dir
        self.scratch = where / "scratch"
        self.scratch.mkdir()

    def python(self, *command):
        """Do what Python does with this *command*; return its exit code and what it prints."""
        with tempfile.TemporaryFile() as output:
            streams = (output.fileno(),) * 3
            code = Project.fork(list(map(str, command)), dict(os.environ), streams, self.scratch).wait(60)
            output.seek(0)
            return code, output.read().decode()

    def discover(self):
        """The benchmarks by name, and what is wrong with modules."""
        code, printed = self.python("-c", MODULE_DISCOVERY_SCRIPT, self.suite, out := self.scratch / "found.json")
        assert code == 0, printed
        found, problems = json.loads(out.read_text())
        return {one["name"]: one for one in found}, problems

    def run(self, case, **attributes):
        """What one process of a case returns, else what it prints."""
        out = self.scratch / "result.json"
        out.unlink(missing_ok=True)
        attributes = {"repeat": [1, 2, 0.01], "sample_time": 0.001, "warmup_time": 0, **attributes}
        _, printed = self.python(BENCHMARK_RUN_SCRIPT, "run", self.suite, case, json.dumps(attributes), "None", out)
        return json.loads(out.read_text()) if out.is_file() else printed


@pytest.fixture(scope="module", autouse=True)
def _fork():
    """Processes of suites are forks: importing pytest and asv_runner for each would take more than what it does."""
    with forks_of(sys.executable, dict(os.environ), suite_processes.__file__) as Project.fork:
        yield


GRID = """
import pytest

@pytest.mark.parametrize("size", [10, 1000])
@pytest.mark.parametrize(("kind", "mode"), [("a", 1), ("b", 2)], ids=["one", "two"])
def test_grid(benchmark, size, kind, mode):
    benchmark(sum, range(size))

@pytest.mark.parametrize("x", [1, 2])
class TestGroup:
    def test_in_class(self, benchmark, x):
        benchmark(lambda: x)

def test_plain(benchmark):
    assert benchmark(pow, 2, 10) == 1024

def test_without(tmp_path):
    raise AssertionError
"""


def test_a_test_function_is_a_benchmark_and_its_parameters_are_parameters(tmp_path):
    """Each ``parametrize`` is a parameter; a test without the fixture is no benchmark."""
    project = Project(tmp_path, test_grid=GRID)
    found, problems = project.discover()
    assert problems == {}
    assert found.keys() == {
        "tests.test_grid.test_grid",
        "tests.test_grid.TestGroup.test_in_class",
        "tests.test_grid.test_plain",
    }
    grid = found["tests.test_grid.test_grid"]
    assert dict(zip(grid["param_names"], grid["params"], strict=True)) == {
        "kind,mode": ["'one'", "'two'"],
        "size": ["10", "1000"],
    }
    assert (grid["type"], grid["unit"]) == ("time", "seconds")
    assert found["tests.test_grid.TestGroup.test_in_class"]["params"] == [["1", "2"]]
    times = {}
    for index, cell in enumerate(product(*grid["params"])):
        times[cell] = min(project.run(f"tests.test_grid.test_grid-{index}")["samples"])
    assert times["'one'", "1000"] > 3 * times["'one'", "10"]
    assert times["'two'", "1000"] > 3 * times["'two'", "10"]


def test_the_number_of_calls_can_be_given(tmp_path):
    """So both commits of a comparison have the same."""
    assert project_result(tmp_path, "def test_a(benchmark): benchmark(sum, [1])", number=7)["number"] == 7


def project_result(where, text, name="test_a", **attributes):
    return Project(where, test_it=text).run(f"tests.test_it.{name}", **attributes)


CALLS = """
calls = []

def setup():
    calls.append("setup")
    return (len(calls),), {}

def test_a(benchmark):
    assert benchmark.pedantic(lambda n: calls.append("call") or n, setup=setup, rounds=3, warmup_rounds=1)
    assert calls.count("call") == calls.count("setup") == 4
    assert benchmark.stats["rounds"] == benchmark.stats.stats.rounds == 3

def test_pops(benchmark):
    left = [1, 2, 3]
    benchmark.pedantic(left.pop, rounds=1, iterations=3)
    assert left == []

def test_weave(benchmark_weave):
    assert callable(benchmark_weave)

def test_reads(benchmark):
    benchmark.group, benchmark.extra_info["size"] = "g", 3
    assert (benchmark.name, benchmark.enabled, benchmark.stats) == ("test_reads", True, None)

    @benchmark
    def _():
        return 3

    assert benchmark(lambda: 4) == 4
    assert benchmark.stats["mean"] >= benchmark.stats["min"] > 0
"""


@pytest.mark.parametrize(("name", "samples", "number"), [("test_a", 3, 1), ("test_pops", 1, 3)])
def test_pedantic_runs_the_rounds_that_a_test_says(tmp_path, name, samples, number):
    """One call more, and a test that uses up its data would fail."""
    found = project_result(tmp_path, CALLS, name)
    assert (len(found["samples"]), found["number"]) == (samples, number)


def test_tests_may_read_and_write_what_the_fixture_of_pytest_benchmark_has(tmp_path):
    """A further call in the test runs, unmeasured."""
    assert project_result(tmp_path, CALLS, "test_reads", repeat=[2, 2, 0.01])["number"] > 1


TYPES = """
from pytest_benchmark.fixture import BenchmarkFixture
def test_a(benchmark):
    assert isinstance(benchmark, BenchmarkFixture)
    benchmark(len, "")
"""

MARKED = """
import pytest, sys
pytest.importorskip("pytest_codspeed")
if "--codspeed" not in sys.argv:
    pytest.skip("not by default", allow_module_level=True)
@pytest.mark.benchmark
def test_a():
    sum(range(10_000))
"""

MARKED_ASYNC = """
import pytest
pytestmark = [pytest.mark.anyio, pytest.mark.benchmark]
@pytest.fixture
def anyio_backend():
    return "asyncio"
async def test_a():
    sum(range(10_000))
"""

ASYNC = """
import asyncio
import pytest
@pytest.fixture
def aio_benchmark(benchmark):
    with asyncio.Runner() as runner:
        async def nothing(): ...
        yield lambda: benchmark(lambda: runner.run(nothing()))
def test_a(aio_benchmark, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    aio_benchmark()
"""


@pytest.mark.parametrize(
    "text", [TYPES, MARKED, MARKED_ASYNC, ASYNC], ids=["types", "marked", "marked coroutine", "fixture of a fixture"]
)
def test_what_real_suites_do_works(tmp_path, text):
    """Checks of the plugin's type, marked tests, fixtures around the fixture; what is timed takes its time."""
    assert min(project_result(tmp_path, text)["samples"]) > (10e-6 if "range" in text else 0)


@pytest.mark.parametrize(
    ("attributes", "second", "printed"),
    [
        ({}, "benchmark(len, made[0])", True),
        ({}, "assert made == []; benchmark(len, '')", False),
        ({IN_FILE: True}, "assert made == ['']; benchmark(len, '')", True),
    ],
    ids=["fails alone", "works alone", "as the other commit"],
)
def test_a_test_that_needs_the_one_before_it_runs_after_it(tmp_path, attributes, second, printed):
    """It fails alone, so its file is run in one process; in a comparison, on both commits if one needs it."""
    first = "made = []\ndef test_first(benchmark): made.append(benchmark(str))\n"
    project = Project(tmp_path, test_it=f"{first}def test_a(benchmark): {second}")
    out = project.scratch / "result.json"
    case = ("run", project.suite, "tests.test_it.test_a", json.dumps({"repeat": 1, **attributes}), "None", out)
    _, said = project.python(BENCHMARK_RUN_SCRIPT, *case)
    assert min(json.loads(out.read_text())["samples"]) > 0
    assert (RAN_IN_FILE in said) is printed


def test_markers_are_listed_for_the_choice_of_cases(tmp_path):
    """Those of classes and of single cases too."""
    text = (
        "import pytest\npytestmark = pytest.mark.filterwarnings\n"
        "@pytest.mark.parametrize('n', [1, pytest.param(2, marks=pytest.mark.skip)])\n"
        "def test_a(benchmark, n): ...\n"
        "@pytest.mark.usefixtures('tmp_path')\nclass TestB:\n    def test_b(self, benchmark): ..."
    )
    found, _ = Project(tmp_path, test_it=text).discover()
    assert found["tests.test_it.test_a"][MARKERS] == [
        ["filterwarnings", "parametrize"],
        ["filterwarnings", "parametrize", "skip"],
    ]
    assert found["tests.test_it.TestB.test_b"][MARKERS] == [["filterwarnings", "usefixtures"]]


LOOPS = """
import pytest

def work(turns):
    total = 0
    for number in range(turns):
        total += number & 7
    return total

@pytest.fixture
def turns():
    return 2000

def test_loop(benchmark, turns):
    assert benchmark(work, turns) > 0

def test_longer(benchmark):
    benchmark(work, 4000)

def test_pedantic(benchmark):
    benchmark.pedantic(work, args=(10,), rounds=2)

def test_skipped(benchmark):
    pytest.skip("not here")

def test_fails(benchmark):
    assert benchmark(work, 10) < 0
"""


@pytest.fixture(scope="module")
def loops(tmp_path_factory, bare_python):
    """The suite of a project, in a Python that has pytest alone: valgrind makes each import fifty times as long."""
    project = Project(folder := tmp_path_factory.mktemp("loops"), test_it=LOOPS)
    entries, _ = project.discover()
    env = an_environment(folder, bare_python(plugin=False, packages=PYTEST))
    entries = {name: {"timeout": 60, **entry} for name, entry in entries.items()}
    caches = SetupCaches(entries=entries, create=None)
    return InstalledCommit(env=env, suite=str(project.suite), entries=entries, caches=caches)


def of(name):
    return CountedCase(commit="head", benchmark=f"tests.test_it.{name}", index=0)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind: sudo apt-get install valgrind")
def test_instructions_are_counted_within_the_test(loops):
    """Those of what the test measures, not of its fixtures."""
    names = ("test_loop", "test_longer", "test_pedantic", "test_skipped", "test_fails")
    counts = {case.benchmark[14:]: found for case, found in count_cases({"head": loops}, list(map(of, names)), (1,))}
    ((_, again),) = count_cases({"head": loops}, [of("test_loop")], (2,))
    (loop,), (longer,), (other,) = counts["test_loop"].per_call, counts["test_longer"].per_call, again.per_call
    assert max(loop, other) < 1.001 * min(loop, other)
    assert 1.9 < longer / loop < 2.1
    assert "pedantic" in counts["test_pedantic"].reason
    assert "not here" in counts["test_skipped"].reason
    assert "test_fails failed" in counts["test_fails"].reason


def test_functions_are_profiled_within_the_test(loops):
    """As for a benchmark of asv."""
    profile = profile_case(loops, of("test_loop"))
    assert profile.reason == ""
    assert "work" in {function.name for function in profile.functions}
    assert "pedantic" in profile_case(loops, of("test_pedantic")).reason


COVERED = """
import types, sys
sys.modules["coverage"] = types.SimpleNamespace(Coverage=types.SimpleNamespace(current=lambda: 1))
def test_a(benchmark): benchmark(len, "")
"""


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (
            "def test_a(benchmark): assert benchmark(len, 'abc') == 4",
            ["assert 3 == 4", "tests/test_it.py::test_a failed"],
        ),
        ("def test_a(benchmark): pass", ["did not call the fixture 'benchmark'"]),
        (COVERED, ["remove COVERAGE_PROCESS_START"]),
    ],
    ids=["failed", "not measured", "coverage, which makes everything slower"],
)
def test_a_test_without_a_value_says_why(tmp_path, text, reasons):
    """A value that is not there must not look like one; the output has pytest's report, and the name of the test."""
    printed = project_result(tmp_path, text)
    assert [reason for reason in reasons if reason not in printed] == []


def test_a_skipped_test_is_skipped_with_its_reason(tmp_path, capfd):
    """asv's NaN, and what it prints."""
    project = Project(tmp_path, test_it="import pytest\n@pytest.mark.skip('not here')\ndef test_a(benchmark): ...")
    out = project.scratch / "result.json"
    _, printed = project.python(BENCHMARK_RUN_SCRIPT, "run", project.suite, "tests.test_it.test_a", "{}", "None", out)
    assert out.read_text() == "NaN"
    assert "asv: skipped: Skipped: not here" in printed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import absent_module\ndef test_a(benchmark): ...", "No module named 'absent_module'"),
        (
            "import pytest\npytest.importorskip('absent_module')\ndef test_a(benchmark): 0",
            "could not import 'absent_module'",
        ),
    ],
    ids=["failed", "skipped"],
)
def test_a_file_that_cannot_be_collected_is_a_problem(tmp_path, text, why):
    """A run without benchmarks is never a green one."""
    found, problems = Project(tmp_path, test_good="def test_a(benchmark): ...", test_bad=text).discover()
    assert found.keys() == {"tests.test_good.test_a"}
    assert why in problems["tests.test_bad"]


def test_the_installed_project_is_imported_not_the_one_in_the_work_tree(tmp_path):
    """Both commits would run the code of the work tree."""
    text = "import spam\ndef test_a(benchmark):\n    assert spam.PLACE == 'installed'\n    benchmark(len, '')"
    project = Project(tmp_path, test_it=text)
    for place, folder in (("work tree", project.root), ("installed", tmp_path / "site")):
        (folder / "spam").mkdir(parents=True)
        (folder / "spam" / "__init__.py").write_text(f"PLACE = {place!r}", encoding="utf-8")
    put = f"import sys; sys.path.append({str(tmp_path / 'site')!r})\n"
    discovery = ("-c", put + MODULE_DISCOVERY_SCRIPT, project.suite, out := project.scratch / "found.json")
    _, printed = project.python(*discovery)
    assert json.loads(out.read_text())[1] == {}, printed
    in_front = f"import sys; sys.path.insert(0, {str(project.root)!r})\n"
    (project.root / "tests" / "conftest.py").write_text(in_front, encoding="utf-8")
    (tmp_path / "site" / "spam-1.dist-info").mkdir()
    (tmp_path / "site" / "spam-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: spam\nVersion: 1\n")
    (tmp_path / "site" / "spam-1.dist-info" / "top_level.txt").write_text("spam\n")
    project.python(*discovery)
    assert "the tests import spam from" in json.loads(out.read_text())[1]["tests.test_it"]


def test_a_conftest_serves_every_file_of_its_folder(tmp_path):
    """Its fixtures have parameters of their own."""
    text = "def test_a(benchmark, size): benchmark(sum, range(size))"
    conftest = "import pytest\n@pytest.fixture(params=[5, 6])\ndef size(request): return request.param"
    project = Project(tmp_path, conftest=conftest, test_it=text, test_more=text)
    found, problems = project.discover()
    assert problems == {}
    assert [one["params"] for one in found.values()] == [[["5", "6"]]] * 2
    assert found["tests.test_more.test_a"]["param_names"] == ["size"]
    assert project.run("tests.test_more.test_a-1")["samples"]


def test_a_conftest_may_read_the_command_line_and_warn(tmp_path):
    """It is that of a pytest that runs these files; a warning about options is no error, as pytest-asyncio has one."""
    conftest = (
        "import pytest, sys, warnings\ndef pytest_addoption(parser):\n"
        "    if sys.argv[0] == 'pytest' and 'tests/test_it.py' in sys.argv[-1]: parser.addoption('--size', default=3)\n"
        "def pytest_configure(config): warnings.warn(pytest.PytestDeprecationWarning('the loop scope is unset'))"
    )
    text = "def test_a(benchmark, request): benchmark(range, request.config.getoption('--size'))"
    assert Project(tmp_path, conftest=conftest, test_it=text).run("tests.test_it.test_a")["samples"]


def test_forked_processes_share_one_collection(tmp_path):
    """A parent collects the files, a child runs a test; both find the same."""
    script = (
        "import os, sys; from asv_runner import discovery, _aux; _aux.update_sys_path(sys.argv[1])\n"
        "found = {one.name: one for one in discovery.disc_benchmarks(sys.argv[1])}\n"
        "one = found['tests.test_other.test_b']\n"
        "pid = os.fork()\n"
        "if not pid:\n one.do_setup(); os._exit(0 if one.do_run()['samples'] else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    conftest = "import pytest\n@pytest.fixture\ndef text(): return 'abc'"
    tests = "def test_{}(benchmark, text): benchmark(len, text)"
    project = Project(tmp_path, conftest=conftest, test_it=tests.format("a"), test_other=tests.format("b"))
    assert project.python("-c", script, project.suite)[0] == 0


def test_the_written_suite_is_ignored_by_git_and_written_once(tmp_path):
    """No edit of the project, and equal files keep their time."""
    project = Project(tmp_path, test_it="def test_a(benchmark): ...")
    assert json.loads(project.configuration.path.read_text())["install_timeout"] == Settings().suite_build_timeout
    status = subprocess.run(["git", "status", "--short"], cwd=project.root, capture_output=True, text=True, check=True)
    assert ".windtunnel" not in status.stdout
    times = {path: path.stat().st_mtime_ns for path in project.suite.rglob("*") if path.is_file()}
    (project.root / "tests" / "test_more.py").write_text("def test_b(benchmark): ...")
    write_suite(project.root, Repository.at(project.root, os.environ))
    after = {path: path.stat().st_mtime_ns for path in project.suite.rglob("*") if path.is_file()}
    assert {path.name for path in after if after[path] != times.get(path)} == {"test_more.py", "project.json"}
    assert project.suite.name == SUITE

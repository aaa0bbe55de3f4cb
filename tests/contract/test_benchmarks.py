"""The suites as asv discovers them, compared with the scenarios and the configuration."""

import functools
import gc
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from asv_runner.discovery import get_benchmark_from_name
from builders.scenarios import SCENARIOS
from uv import find_uv_bin

from windtunnel_scenarios.model import LoadName

ROOT = Path(__file__).parents[2]
SUITES = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def discovered(tmp_path_factory):
    """What asv's own discovery finds, in a process of its own, in asv's order."""
    listing = tmp_path_factory.mktemp("discovery") / "benchmarks.json"
    script = "import sys; from asv_runner.discovery import _discover; _discover(sys.argv[1:])"
    subprocess.run([sys.executable, "-c", script, str(SUITES), str(listing)], check=True)
    return {entry["name"]: entry for entry in json.loads(listing.read_text())}


@functools.cache
def scenario_of(benchmark):
    """The scenario that a benchmark's class is named for: the longest that its name begins with."""
    classes = {class_name(scenario): scenario for scenario in SCENARIOS}
    name = benchmark.split(".")[1]
    return classes[max((each for each in classes if name.startswith(each)), key=len)]


def class_name(scenario):
    """The scenario's name as that of a class."""
    return scenario.name.title().replace("_", "")


def cases(scenario):
    """A scenario's parameters as asv writes them: all variants, all loads that are timed."""
    variants = [repr(variant.name) for variant in scenario.variants]
    return variants, [repr(str(name)) for name, _ in scenario.loads if name != LoadName.TRIAL]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_suites_list_every_case(scenario, discovered):
    """Each scenario has a benchmark whose parameters are all its variants and all its loads."""
    entries = [entry for name, entry in discovered.items() if scenario_of(name) is scenario]
    assert cases(scenario) in [tuple(entry["params"]) for entry in entries]


def test_the_suites_list_nothing_else(discovered):
    """Every benchmark's parameters are cases of the scenario that its class is named for."""
    for name, entry in discovered.items():
        variants, loads = cases(scenario_of(name))
        assert set(entry["params"][0]) <= set(variants), name
        assert set(entry["params"][1]) <= set(loads), name


def test_what_asv_would_infer_is_stated(discovered):
    """A version set by hand keeps a history over reformatting; rounds, repeat and number are chosen, not inferred."""
    for entry in discovered.values():
        assert entry["version"].isdigit()
        assert entry["param_names"] == ["variant", "load"]
        assert entry["rounds"] >= 2
        assert (entry["number"], entry["warmup_time"], entry["min_run_count"]) == (1, 0.0, 1)
        assert entry["repeat"][0] == 1
        assert entry["type"] in ("time", "latency", "peakmemory", "profile", "track")


class Spy:
    """A suite that records what asv's runner calls."""

    number, warmup_time, repeat = 1, 0.0, 4

    def __init__(self):
        self.calls = []

    def setup(self):
        self.calls.append("setup")

    def time_run(self):
        self.calls.append("run")

    def teardown(self):
        self.calls.append("teardown")


def prepared_once(spy):
    """The suites' own benchmark type, created as asv's runner creates it."""
    kind = type(get_benchmark_from_name(str(SUITES), "sleep.Sleep.time_run-0"))
    return kind("spy.Spy.time_run", spy.time_run, [spy.time_run, spy])


def test_a_case_is_set_up_once_for_all_its_timed_calls():
    """Between timed calls nothing is torn down and set up again."""
    spy = Spy()
    spy.repeat = 2
    benchmark = prepared_once(spy)
    benchmark.do_setup()
    samples = benchmark.do_run()["samples"]
    benchmark.do_teardown()
    assert len(samples) == 2
    assert spy.calls == ["setup", "run", "run", "teardown"]


def test_no_further_sample_is_taken_after_the_time_limit():
    """More processes are worth more than samples of one, and the largest loads last for minutes."""
    spy = Spy()
    spy.min_run_count, spy.repeat = 1, (1, 9, 0.0)
    assert len(prepared_once(spy).do_run()["samples"]) == 1
    spy.repeat = (1, 9, 600.0)
    assert len(prepared_once(spy).do_run()["samples"]) == 9


@pytest.mark.parametrize(("repeat", "values"), [((1, 9, 0.0), 1), ((1, 9, 600.0), 9), (4, 4)])
def test_a_recording_run_takes_as_many_values_as_a_timed_one(repeat, values):
    """Also where ``repeat`` is a plain number."""
    kind = type(get_benchmark_from_name(str(SUITES), "asyncio_costs.ExecutionOrder.count_switches-0"))
    spy = Spy()
    spy.repeat, spy.unit = repeat, "switches"
    benchmark = kind("spy.Spy.count_switches", lambda: (1.0,), [spy.time_run, spy])
    assert benchmark.do_run()["samples"] == [1.0] * values


@pytest.mark.parametrize(
    ("existing", "method"),
    [
        ("sleep.Sleep.time_run-0", "time_run"),
        ("asyncio_costs.ExecutionOrder.count_switches-0", "count_switches"),
        ("fastapi.FastapiIdleLatency.latency_request-0", "latency_request"),
    ],
)
def test_no_garbage_is_collected_during_a_run(existing, method):
    """Times, recorded values and latencies are measured alike: garbage collection is off, and on again afterwards."""
    kind = type(get_benchmark_from_name(str(SUITES), existing))
    collecting = []

    def measured():
        collecting.append(gc.isenabled())
        return (1.0,)

    spy = Spy()
    spy.unit = "seconds"
    kind(f"spy.Spy.{method}", measured, [measured, spy]).do_run()
    assert collecting
    assert not any(collecting)
    assert gc.isenabled()


def test_work_between_timed_calls_is_outside_the_clock():
    """``between`` comes before every timed call, and asv's timer does not see it."""
    spy = Spy()
    spy.repeat = 2
    spy.between = lambda: spy.calls.append("between")
    prepared_once(spy).do_run()
    assert spy.calls == ["between", "run", "between", "run"]


def test_a_recording_run_is_measured_by_what_it_records(tmp_path):
    """The values of a run that records are kept as asv keeps times: as samples."""
    result, _ = run_by_asv("asyncio_costs.LoopLagFiles.time_lag-0", tmp_path)
    assert (len(result["samples"]), result["number"]) == (3, 1)
    assert all(0 <= lag < 60 for lag in result["samples"])


def test_a_latency_is_a_value_of_each_request(tmp_path):
    """The requests of every timed run are samples; their percentiles are what a user waits."""
    result, printed = run_by_asv("fastapi.FastapiIdleLatency.latency_request-0", tmp_path)
    runs, rest = divmod(len(result["samples"]), 200)  # asv repeats as often as there is time
    assert (runs > 0, rest, result["number"], printed) == (True, 0, 1, "")
    assert all(0 < latency < 60 for latency in result["samples"])


def test_a_profile_is_as_many_values_as_there_are_points(tmp_path):
    """Memory over time is kept in the order of time, in bytes."""
    result, printed = run_by_asv("memory.ScrapeMemoryProfile.peak_profile-0", tmp_path)
    assert (len(result["samples"]), result["number"], printed) == (20, 1, "")


def run_by_asv(name, folder):
    """Run one benchmark as asv does, in a process of its own; return its result and what it printed."""
    result = folder / "result.json"
    script = "import sys; from asv_runner.run import _run; _run(sys.argv[1:])"
    command = [sys.executable, "-c", script, str(SUITES), name, "{}", "None", str(result)]
    process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return json.loads(result.read_text()), process.stdout + process.stderr


def test_a_case_runs_under_asvs_runner(tmp_path):
    """The first case, in a process of its own, yields as many values as the suite asks for."""
    result, printed = run_by_asv("sleep.Sleep.time_run-6", tmp_path)
    assert (len(result["samples"]), result["number"], printed) == (3, 1, "")


FAILING = """
import sys
from contextlib import contextmanager
import windtunnel_scenarios.registry as registry
@contextmanager
def prepared(*case):
    try:
        yield {}.popitem
    finally:
        print("closed")
registry.prepared = prepared
from asv_runner.run import _run
_run(sys.argv[1:])
"""


def test_a_case_that_fails_is_closed(tmp_path):
    """The error of a run reaches asv, and what was opened is closed before."""
    command = [sys.executable, "-c", FAILING, str(SUITES), "sleep.Sleep.time_run-0", "{}", "None", str(tmp_path / "r")]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "KeyError" in process.stderr
    assert (process.returncode, process.stdout) == (1, "closed\n")


@pytest.mark.parametrize(
    ("benchmark", "case"),
    [
        ("sleep.Sleep.time_run-0", "sleep/sync/quick"),
        ("fastapi.FastapiIdleLatency.latency_request-0", "fastapi_idle/async_def/quick"),
    ],
)
def test_a_case_that_a_commit_lacks_is_skipped_with_the_reason(benchmark, case, tmp_path):
    """The suites of today run on older commits."""
    (tmp_path / "old").mkdir()
    script = (
        "import sys, windtunnel_scenarios.registry as registry; registry.MODULES = {}\n"
        "from asv_runner.run import _run; _run(sys.argv[1:])"
    )
    command = [sys.executable, "-c", script, str(SUITES), benchmark, "{}", "None", str(tmp_path / "r")]
    process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "asv: skipped" in process.stdout
    assert f"this commit has no case {case}" in process.stdout
    assert (tmp_path / "r").read_text() == "NaN"


SUBJECT = tomllib.loads((ROOT / "src/windtunnel_scenarios/pyproject.toml").read_text(encoding="utf-8"))
LIBRARIES = [
    one for extra, names in SUBJECT["project"]["optional-dependencies"].items() if extra != "libraries" for one in names
]
"""What src/windtunnel_scenarios/install puts into the environments."""


def test_the_environments_pin_what_the_developers_pin():
    """A library has one version in what declares it and in the lock."""
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    locked = {package["name"]: package["version"] for package in lock["package"]}
    for requirement in LIBRARIES:
        name, _, version = requirement.partition(";")[0].partition("==")
        assert locked[name] == version, requirement


def test_every_library_that_a_variant_requires_is_pinned():
    """A commit says what it was timed with."""
    modules = {
        module.partition(".")[0]
        for scenario in SCENARIOS
        for variant in scenario.variants
        for module in variant.requires
    }
    owners = packages_distributions()
    required = {
        owners.get(module, [module])[0].replace("_", "-").lower() for module in modules - sys.stdlib_module_names
    }
    assert required <= {requirement.partition("==")[0] for requirement in LIBRARIES}


@pytest.mark.parametrize(
    ("python", "absent"),
    [("3.14", set()), ("3.14t", {"gevent", "grpcio"}), ("3.13t", {"gevent", "grpcio", "fastapi", "pydantic"})],
)
def test_a_python_gets_the_libraries_that_it_can_have(python, absent, tmp_path):
    """uv exports what src/windtunnel_scenarios/install asks for; here a Python that only names its kind asks."""
    free_threaded, version = python.endswith("t"), tuple(map(int, python.rstrip("t").split(".")))
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "python"
    fake.write_text(
        f"#!{sys.executable}\nimport sys, sysconfig\nsys.version_info = {version}\n"
        f"sysconfig.get_config_var = lambda name: {free_threaded}\nexec(sys.argv[2])\n"
    )
    fake.chmod(0o755)
    (tmp_path / "uv").write_text(f'#!/bin/sh\ncase $1 in export) exec "{find_uv_bin()}" "$@" --offline ;; esac\n')
    (tmp_path / "uv").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    install = ROOT / "src/windtunnel_scenarios/install"
    subprocess.run(["sh", install, tmp_path, ROOT, "a.whl", ROOT], env=environment, check=True)
    listed = set(re.findall(r"^([\w.-]+)==", (tmp_path / "requirements.txt").read_text(), re.MULTILINE))
    assert {"aiohttp", "asv-runner", "hatchling"} <= listed
    assert {"gevent", "grpcio", "fastapi", "pydantic"} - listed == absent


@functools.cache
def experiments():
    """The rows of measurements/experiments.md: name, loads and benchmarks of each."""
    lines = (ROOT / "docs" / "measurements" / "experiments.md").read_text(encoding="utf-8").splitlines()
    rows = [[column.strip() for column in line.split("|")[1:-1]] for line in lines]
    return [
        (columns[0], *(re.findall(r"`([\w.]+)`", column) for column in columns[2:4]))
        for columns in rows
        if len(columns) == 5 and set(columns[0]) != {"-"} and columns[0] != "experiment"
    ]


PUBLISHED = (
    *(f"Z-{letter}" for letter in "abcdefghijklmnopqrstuvwx"),
    "Q",
    *(f"F-{letter}" for letter in "abcdef"),
    *(f"P-{letter}" for letter in "abcd"),
    "H",
    "H comments",
    "H units",
)
"""The experiments of the five articles."""


@pytest.mark.parametrize("published", PUBLISHED)
def test_every_published_experiment_has_a_row(published):
    """Nothing that the articles tried is left out; a row may carry several experiments."""
    assert any(published in row.split(", ") for row, *_ in experiments())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_scenario_is_in_the_documents(scenario):
    """A scenario has a row in the table of experiments, and a part of the method that says what is timed."""
    assert any(scenario_of(name) is scenario for *_, benchmarks in experiments() for name in benchmarks)
    method = (ROOT / "docs" / "explanation" / "method.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", method, re.MULTILINE)
    assert any(scenario.name in heading.split(", ") for heading in headings) or f"`{scenario.name}` does" in method


@pytest.mark.parametrize(
    ("experiment", "loads", "benchmarks"),
    [pytest.param(*row, id=f"{row[0]}: {' '.join(row[2])}") for row in experiments()],
)
def test_every_experiment_has_a_benchmark(experiment, loads, benchmarks, discovered):
    """A row names all benchmarks of its scenarios, which have all the row's loads."""
    assert benchmarks
    assert loads
    scenarios = list(dict.fromkeys(scenario_of(name).name for name in benchmarks))
    assert benchmarks == [name for each in scenarios for name in discovered if scenario_of(name).name == each]
    for scenario in scenarios:
        params = [entry["params"] for name, entry in discovered.items() if scenario_of(name).name == scenario]
        listed = {name.strip("'") for pair in params for names in pair for name in names}
        assert {*loads} <= listed, experiment

"""The contract that every variant of every scenario keeps."""

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
from builders.examples import EXPLORE
from builders.scenarios import SCENARIOS, opened, outcome_of

import windtunnel_scenarios
from windtunnel_scenarios import postgres, registry
from windtunnel_scenarios.computing_endpoint import Computing
from windtunnel_scenarios.echo_messages import Messages
from windtunnel_scenarios.https_clients import Fetches, shared_server
from windtunnel_scenarios.insert_rows import durable_postgres_commands
from windtunnel_scenarios.model import LoadName, Loads, Scenario, UnavailableError, Variant, WrongOutcomeError
from windtunnel_scenarios.pool_jobs import Work
from windtunnel_scenarios.registry import MODULES, check_available, open_case, prepared
from windtunnel_scenarios.sleep import SLEEP, Sleeps
from windtunnel_scenarios.support import database_servers
from windtunnel_scenarios.support.database_servers import (
    PACKAGES,
    database_server,
    find_command,
    postgres_commands,
    redis_commands,
)
from windtunnel_scenarios.support.subprocess_run import MeasuredSubprocess
from windtunnel_scenarios.waiting_connections import Waiting

PACKAGE = Path(windtunnel_scenarios.__file__).parent
CASES = [(scenario.name, variant.name) for scenario in SCENARIOS for variant in scenario.variants]


def technique_of(module, scenario, variant):
    """What the technique of a variant is known by; variants that differ in a number at the end have one.

    Which jobs a pool gets has no effect on how its processes start: each job runs in processes that are forked, and in
    others only once.
    """
    name = re.sub(r"(_\d+)+$", "", variant.name)
    if name in {"processes_forkserver", "processes_spawn"} and "open_pool" in getattr(
        variant.technique, "keywords", ()
    ):
        return name
    return module, name, type(getattr(scenario.loads.trial, "waits", scenario.loads.trial))


TECHNIQUES = {
    technique_of(module, scenario, variant): (scenario.name, variant.name)
    for module in reversed(MODULES)
    for scenario in registry.load_scenarios(module)
    for variant in reversed(scenario.variants)
}
"""One case of each technique: scenarios of one module share techniques and differ in their loads."""
FIRST = {(scenario.name, scenario.variants[0].name) for scenario in SCENARIOS}
RUNS = [case for case in CASES if EXPLORE or case in FIRST or case in TECHNIQUES.values()]
"""What runs to its end: each technique once, and the first variant of each scenario; every case when exploring."""


class BodyError(Exception):
    """Raised inside an opened case."""


@pytest.fixture(scope="module")
def start_database():
    """A function that starts the database or TLS server of a variant, unless it runs: one server for all tests.

    PostgreSQL checks no password here: that takes half of the CPU of each of a thousand connections.
    """

    def trusting(folder, server):
        found = postgres_commands(folder, server)
        return replace(found, prepare=found.prepare.replace("--auth=password", "--auth=trust"))

    commands, tls = {"postgres": trusting, "redis-server": redis_commands}, []
    durable = []
    with ExitStack() as stack:

        def start(scenario, variant):
            if scenario.startswith("https_") and not tls:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(tempfile, "tempdir", None)
                    tls.append(stack.enter_context(shared_server()))
            if scenario == "insert_rows" and not durable and find_command("postgres"):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(tempfile, "tempdir", None)
                    durable.append(stack.enter_context(database_server(durable_postgres_commands)))
                return
            _, found, _ = registry.find(scenario, variant, "trial")
            for command in commands.keys() & set(found.commands):
                if find_command(command):
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr(tempfile, "tempdir", None)  # PostgreSQL's user cannot enter pytest's folders
                        own = commands.pop(command)
                        stack.enter_context(database_server(own))
                    if own is trusting:  # it serves all that ask for the usual one
                        patch = stack.enter_context(pytest.MonkeyPatch.context())
                        patch.setitem(database_servers._running, postgres_commands, database_servers._running[own])

        yield start


@pytest.mark.parametrize(("scenario", "variant"), RUNS)
def test_a_run_is_repeatable_and_leaves_nothing_open(scenario, variant, nothing_left_open, start_database):
    """Every run does the whole job, and closing the case closes all that it opened, also after an error.

    The warm-up was a run, too, whose outcome was compared. Runs in processes of their own share nothing. The case that
    shows a technique ends with an error, which reaches the caller; the first variants of other scenarios do not.
    """
    start_database(scenario, variant)
    fails = (scenario, variant) in TECHNIQUES.values()
    with nothing_left_open(), pytest.raises(BodyError) if fails else nullcontext(), opened(scenario, variant) as run:
        skips_warmup = LoadName.TRIAL in registry.find(scenario, variant, "trial")[0].skip_warmup
        runs = 2 if skips_warmup and not isinstance(run, MeasuredSubprocess) else 1
        assert [run() for _ in range(runs)] == [outcome_of(scenario, variant)] * runs
        if fails:
            raise BodyError


PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE prepare_time < now() - interval '20 ms'"


@pytest.mark.parametrize(
    "variant",
    [variant for variant in postgres.VARIANTS if not variant.name.endswith("_50")],  # ten connections do what fifty do
    ids=lambda variant: variant.name,
)
def test_every_connection_has_prepared_its_statements_before_a_run(variant, start_database):
    """With a query for each connection, no run prepares: a statement is older than the run."""
    start_database("postgres_wait", variant.name)
    try:
        check_available(variant)
    except UnavailableError as reason:
        pytest.skip(str(reason))
    with variant.technique(postgres.Queries(count=50, query=PREPARED)) as run:
        time.sleep(0.03)
        assert run() == (50,)


OWN_PROCESSES = ("pool_start", "payload_cold", "payload_cold_large")
POOLS = [case for case in CASES if case[1] == "interpreters" and case[0] not in OWN_PROCESSES]


@pytest.mark.parametrize(("scenario", "variant"), POOLS)
def test_interpreters_are_used_where_python_has_them(scenario, variant, nothing_left_open, monkeypatch):
    """The module is looked up, not the version: with a stand-in of threads the variants run on every Python."""
    name = "concurrent.futures.interpreter"
    stand_in = ModuleType(name)
    stand_in.__spec__ = ModuleSpec(name, None)
    stand_in.InterpreterPoolExecutor = ThreadPoolExecutor
    monkeypatch.setitem(sys.modules, name, stand_in)
    with nothing_left_open(), prepared(scenario, variant, "trial") as run:
        assert run() == outcome_of(scenario, variant)


@pytest.mark.parametrize("scenario", sorted({scenario for scenario, variant in CASES if variant == "interpreters"}))
def test_a_python_without_interpreters_names_what_it_lacks(scenario):
    """The reason names the module that was looked up."""
    _, variant, _ = registry.find(scenario, "interpreters", "trial")
    with pytest.raises(UnavailableError, match=r"interpreters requires concurrent\..*interpreters?, absent"):
        check_available(variant, find_module=lambda name: None)


@pytest.mark.parametrize(("module", "names"), MODULES.items())
def test_the_registry_lists_the_scenarios_of_each_module(module, names):
    """A process that looks for a case imports the module that the registry names."""
    assert tuple(scenario.name for scenario in registry.load_scenarios(module)) == names


def test_names_are_unique():
    """A scenario has one name, and a variant one name in its scenario."""
    names = [scenario.name for scenario in SCENARIOS]
    assert len(names) == len(set(names))
    assert len(CASES) == len(set(CASES))


AUDIT = """
import gc, os, sys, threading
forbidden = {"subprocess.Popen", "os.fork", "os.posix_spawn", "socket.__new__", "sqlite3.connect", "tempfile.mkstemp",
             "tempfile.mkdtemp", "os.mkdir"}
def hook(event, arguments):
    if event in forbidden or (event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")):
        raise SystemExit(f"work at import: {event} {arguments}")
def started(thread):
    raise SystemExit(f"work at import: {thread}")
from importlib import import_module
sys.dont_write_bytecode = True
for name in sys.argv[1].split():
    import_module(name)
threading.Thread.start = started
sys.addaudithook(hook)
for name in sys.argv[2:]:
    import_module(name)
import asyncio
assert threading.active_count() == 1, threading.enumerate()
assert not [thing for thing in gc.get_objects() if issubclass(type(thing), asyncio.AbstractEventLoop)], "a loop"
"""


def audited(modules, *flags, libraries=""):
    """Import modules in a process of their own that ends at the first thread, socket, process, folder or write.

    What their ``libraries`` do at import (urllib3 tries IPv6) is not theirs, but no thread or loop may be left of it.
    """
    command = [sys.executable, *flags, "-c", AUDIT, libraries, *modules]
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_listing_scenarios_needs_the_standard_library_only():
    """Scenarios and variants are listed without site-packages, and nothing happens at import."""
    modules = [f"windtunnel_scenarios.{module}" for module in MODULES]
    result = audited(["windtunnel_scenarios.registry", *modules], "-S")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("work", ["threading.Thread(target=print).start()", "socket.socket()", "open('x', 'w')"])
def test_the_import_check_sees_work(work, tmp_path):
    """The negative control: a module that works at import is caught."""
    (tmp_path / "busy.py").write_text(f"import threading, socket\n{work}\n")
    script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{AUDIT}"
    result = subprocess.run(
        [sys.executable, "-c", script, "", "busy"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "work at import" in result.stderr


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        ({"requires": ("no_such",)}, "requires no_such"),
        ({"commands": ("no-such",)}, "requires the command no-such"),
        ({"min_python": (4, 0)}, r"requires Python 4\.0"),
    ],
    ids=["library", "command", "Python"],
)
def test_a_missing_requirement_is_a_reason_not_a_failure(requirement, reason):
    """A variant whose requirement is absent is unavailable; asv skips a NotImplementedError and prints the reason."""
    lacking = Variant(name="sync", technique=lambda load: nullcontext(tuple), **requirement)
    with pytest.raises(NotImplementedError, match=reason), open_case(SLEEP, lacking, LoadName.TRIAL):
        pass


COMMANDS = sorted({command for scenario in SCENARIOS for variant in scenario.variants for command in variant.commands})


@pytest.mark.parametrize("command", COMMANDS)
def test_a_program_that_is_absent_is_named_with_the_command_that_installs_it(command, monkeypatch):
    """Where neither the PATH nor Debian's folders have a program, its cases are skipped with what to do."""
    monkeypatch.setattr(database_servers, "FOLDERS", Path("/no/such"))
    monkeypatch.setenv("PATH", "/no/such")
    variant = Variant(name="sync", technique=lambda load: nullcontext(tuple), commands=(command,))
    reason = rf"the command {command}; install it with: sudo apt-get install {PACKAGES[command]}$"
    with pytest.raises(UnavailableError, match=reason):
        check_available(variant)


@pytest.mark.parametrize("case", [("no", "sync", "trial"), ("sleep", "no", "trial"), ("sleep", "sync", "no")])
def test_an_unknown_case_is_unavailable(case):
    """Suites of today run on commits of yesterday, which lack what came since."""
    with pytest.raises(UnavailableError, match="/".join(case)), prepared(*case):
        pass


def a_scenario(technique, *skip_warmup):
    """A scenario with one variant."""
    sleeps = Sleeps(periods=(0.001,))
    variant = Variant(name="sync", technique=technique)
    return Scenario(
        name="sleep",
        loads=Loads(trial=sleeps, quick=sleeps, standard=sleeps),
        variants=(variant,),
        skip_warmup=skip_warmup,
    ), variant


def test_a_wrong_outcome_is_refused_and_closed():
    """A variant that does less than its job is never timed."""
    closed = []

    @contextmanager
    def technique(load):
        try:
            yield lambda: load.outcome[:-1]
        finally:
            closed.append(load)

    with pytest.raises(WrongOutcomeError, match="sleep/sync/trial"), open_case(*a_scenario(technique), LoadName.TRIAL):
        pass
    assert len(closed) == 1


class CountedRun:
    """A run that counts itself."""

    recorded = 0

    def __call__(self):
        self.recorded += 1
        return (0.001,)


@pytest.mark.parametrize(("skip_warmup", "runs"), [((), [1, 2]), ((LoadName.TRIAL,), [0, 1])])
def test_a_case_is_warmed_up_unless_its_scenario_skips_that(skip_warmup, runs):
    """The first run is outside the clock, or there is none; what the run recorded is available either way."""
    case = a_scenario(lambda load: nullcontext(CountedRun()), *skip_warmup)
    with open_case(*case, LoadName.TRIAL) as run:
        before = run.recorded
        run()
        assert [before, run.recorded] == runs


def test_a_wrong_outcome_is_refused_where_every_run_is_timed():
    """Without a warm-up, the timed run itself is compared with the outcome that the load asks for."""
    case = a_scenario(lambda load: nullcontext(tuple), LoadName.TRIAL)
    with open_case(*case, LoadName.TRIAL) as run, pytest.raises(WrongOutcomeError, match="sleep/sync/trial"):
        run()


SERIES = [
    ("waiting_connections", "server_asyncio", Waiting(count=3, tls=False)),
    ("computing_endpoint", "async_def", Computing(milliseconds=1, connections=2, probes=3, utilization=0.5)),
    ("https_burst", "aiohttp", Fetches(count=3, delay=0.001)),
    ("pool_jobs", "kept_threads", Work(bound=1_000, busy=True)),
    ("echo_messages", "threads_client", Messages(connections=2, count=2, size=100)),
]
"""A small load of each kind that a series has beside that of its trial."""


@pytest.mark.parametrize(("scenario", "variant", "load"), SERIES)
def test_a_series_does_its_job_with_other_kinds_of_loads(scenario, variant, load, nothing_left_open, start_database):
    """Plain connections, a fixed rate, a client that is kept, a busy processor, no TLS."""
    start_database(scenario, variant)
    with opened(scenario, variant):
        pass  # skips what this Python lacks
    technique = registry.find(scenario, variant, "trial")[1].technique
    with nothing_left_open(), technique(load) as run:
        assert run() == load.outcome


@pytest.mark.parametrize(("found", "is_refused"), [("3.7.1", True), ("4.0.0", False), ("5.0", False)])
def test_a_variant_is_unavailable_with_a_library_that_is_too_old(monkeypatch, found, is_refused):
    """On the branch of a past day it is skipped with the reason; it does not fail."""
    monkeypatch.setattr(registry, "version", lambda _: found)
    variant = Variant(name="anyio_tasks", technique=None, requires=("anyio",))
    if not is_refused:
        check_available(variant, lambda _: True)
        return
    with pytest.raises(UnavailableError, match=rf"anyio_tasks requires anyio 4\.0 or newer.*{found}"):
        check_available(variant, lambda _: True)

"""The contract that every variant of every scenario keeps."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import psutil
import pytest

import windtunnel_scenarios
from windtunnel_scenarios import registry
from windtunnel_scenarios.downloads_far.program import Program, far_away
from windtunnel_scenarios.downloads_far.requests_session import trusting
from windtunnel_scenarios.files.targets import incompressible, targets
from windtunnel_scenarios.fresh import Watched
from windtunnel_scenarios.http.requests_session import get
from windtunnel_scenarios.loop_lag.heartbeat import Lag
from windtunnel_scenarios.model import LoadName, Scenario, UnavailableError, Variant, WrongOutcomeError
from windtunnel_scenarios.processor import group_seconds
from windtunnel_scenarios.registry import SCENARIOS, prepared
from windtunnel_scenarios.support import cpu_affinity, load_generator, storage
from windtunnel_scenarios.support.folders import kept_folder
from windtunnel_scenarios.support.load_generator import Calls, generator
from windtunnel_scenarios.support.loops import kept_loop
from windtunnel_scenarios.support.servers import server_group, serving

PACKAGE = Path(windtunnel_scenarios.__file__).parent
CASES = [(scenario.name, variant.name) for scenario in SCENARIOS for variant in scenario.variants]
MODULES = {
    scenario.module(variant): (scenario.name, variant.name) for scenario in SCENARIOS for variant in scenario.variants
}
"""One case of each module: scenarios of one folder differ in their loads only."""


@contextmanager
def opened(scenario, variant):
    """The case with its trial load; a case this Python cannot have is skipped, and says why."""
    try:
        case = prepared(scenario, variant, "trial")
        run = case.__enter__()
    except UnavailableError as reason:
        pytest.skip(str(reason))
    try:
        yield run
    except BaseException as error:
        if not case.__exit__(type(error), error, error.__traceback__):
            raise
    else:
        case.__exit__(None, None, None)


def available(variant):
    """Whether this Python can carry the variant out."""
    try:
        registry.check(variant)
    except UnavailableError:
        return False
    return True


class BodyError(Exception):
    """Raised inside an opened case."""


@pytest.mark.parametrize(("scenario", "variant"), CASES)
def test_a_run_is_repeatable_and_leaves_nothing_open(scenario, variant, nothing_left_open):
    """Every run does the whole job, and closing the case closes all that it opened."""
    _, _, load = registry.find(scenario, variant, "trial")
    with nothing_left_open(), opened(scenario, variant) as run:
        outcomes = [run() for _ in range(3)]
    assert outcomes == [load.outcome] * 3


@pytest.mark.parametrize(("scenario", "variant"), MODULES.values())
def test_a_body_that_raises_leaves_nothing_open(scenario, variant, nothing_left_open):
    """An error between opening and closing reaches the caller, and all is closed."""
    with nothing_left_open(), pytest.raises(BodyError), opened(scenario, variant):
        raise BodyError


POOLS = [case for case in CASES if case[1] == "interpreters" and case[0] != "waiting_heavy"]


@pytest.mark.parametrize(("scenario", "variant"), POOLS)
def test_interpreters_are_used_wherever_there_are_any(scenario, variant, nothing_left_open, monkeypatch):
    """They are looked for, no version is: with a stand-in of threads the variants run on every Python."""
    name = "concurrent.futures.interpreter"
    stand_in = ModuleType(name)
    stand_in.__spec__ = ModuleSpec(name, None)
    stand_in.InterpreterPoolExecutor = ThreadPoolExecutor
    monkeypatch.setitem(sys.modules, name, stand_in)
    with nothing_left_open(), prepared(scenario, variant, "trial") as run:
        assert run() == registry.find(scenario, variant, "trial")[2].outcome


@pytest.mark.parametrize("scenario", sorted({scenario for scenario, variant in CASES if variant == "interpreters"}))
def test_a_python_without_interpreters_says_so(scenario, monkeypatch):
    """The reason names what was looked for."""
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match=r"interpreters needs concurrent\..*interpreters?, absent"):
        prepared(scenario, "interpreters", "trial").__enter__()


@pytest.mark.parametrize("folder", sorted({scenario.folder or scenario.name for scenario in SCENARIOS}))
def test_variants_are_files_and_files_are_variants(folder):
    """The scenarios of a folder list each variant that has a file, and each listed variant has one."""
    files = (PACKAGE / folder).glob("*.py")
    listed = {
        variant.name
        for scenario in SCENARIOS
        if folder in (scenario.folder, scenario.name)
        for variant in scenario.variants
    }
    assert listed == {path.stem for path in files if "\ndef prepare(" in path.read_text(encoding="utf-8")}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_loads_are_named_once_in_order_of_size(scenario):
    """A scenario has a trial, and each load that is timed once, from quick to article."""
    names = [load.name for load in scenario.loads]
    assert names == [name for name in LoadName if name in names]
    assert {LoadName.TRIAL, LoadName.QUICK, LoadName.STANDARD} <= set(names)


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


def test_the_registry_needs_the_standard_library_only():
    """Scenarios and variants are listed without site-packages, and nothing happens at import."""
    result = audited(["windtunnel_scenarios.registry"], "-S")
    assert (result.returncode, result.stderr) == (0, "")


def test_importing_every_variant_does_no_work():
    """A variant's module imports its libraries and does nothing else."""
    ready = [(scenario, variant) for scenario in SCENARIOS for variant in scenario.variants if available(variant)]
    libraries = {library for _, variant in ready for library in variant.needs}
    modules = [scenario.module(variant) for scenario, variant in ready]
    result = audited(modules, libraries=" ".join(sorted(libraries)))
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


def test_a_missing_library_is_a_reason_not_a_failure(monkeypatch):
    """A variant whose library is absent is unavailable, by name; asv skips that."""
    lacking = Scenario(name="sleep", variants=(Variant(name="sync", needs=("no_such",)),), loads=SCENARIOS[0].loads)
    monkeypatch.setattr(registry, "SCENARIOS", (lacking,))
    with pytest.raises(NotImplementedError, match="needs no_such"), prepared("sleep", "sync", "trial"):
        pass


def test_a_missing_command_is_a_reason_not_a_failure(monkeypatch):
    """As for a library."""
    lacking = Scenario(name="sleep", variants=(Variant(name="sync", tools=("no-such",)),), loads=SCENARIOS[0].loads)
    monkeypatch.setattr(registry, "SCENARIOS", (lacking,))
    with pytest.raises(NotImplementedError, match="needs the command no-such"), prepared("sleep", "sync", "trial"):
        pass


def test_a_python_too_old_is_a_reason_not_a_failure(monkeypatch):
    """As for a library."""
    lacking = Scenario(name="sleep", variants=(Variant(name="sync", since=(4, 0)),), loads=SCENARIOS[0].loads)
    monkeypatch.setattr(registry, "SCENARIOS", (lacking,))
    with pytest.raises(NotImplementedError, match=r"needs Python 4\.0"), prepared("sleep", "sync", "trial"):
        pass


@pytest.mark.parametrize("case", [("no", "sync", "trial"), ("sleep", "no", "trial"), ("sleep", "sync", "no")])
def test_an_unknown_case_is_unavailable(case):
    """Suites of today run on commits of yesterday, which lack what came since."""
    with pytest.raises(UnavailableError, match="/".join(case)), prepared(*case):
        pass


def test_a_wrong_outcome_is_refused_and_closed(monkeypatch):
    """A variant that does less than its job is never timed."""
    closed = []

    @contextmanager
    def prepare(load):
        try:
            yield lambda: load.outcome[:-1]
        finally:
            closed.append(load.name)

    monkeypatch.setattr(registry, "import_module", lambda name: SimpleNamespace(prepare=prepare))
    with pytest.raises(WrongOutcomeError, match="sleep/sync/trial"), prepared("sleep", "sync", "trial"):
        pass
    assert closed == ["trial"]


@pytest.mark.parametrize(("unwarmed", "runs"), [((), [1, 2]), ((LoadName.TRIAL,), [0, 1])])
def test_a_case_is_warmed_up_unless_that_would_change_nothing(unwarmed, runs, monkeypatch):
    """A first run outside the clock, or none; what the run recorded is at hand either way."""
    sleep = registry.find("sleep", "sync", "trial")[0]

    class Counted:
        recorded = 0

        def __call__(self):
            self.recorded += 1
            return sleep.loads[0].outcome

    monkeypatch.setattr(
        registry, "import_module", lambda name: SimpleNamespace(prepare=lambda load: nullcontext(Counted()))
    )
    monkeypatch.setattr(registry, "SCENARIOS", (replace(sleep, unwarmed=unwarmed),))
    with prepared("sleep", "sync", "trial") as run:
        before = run.recorded
        run()
        assert [before, run.recorded] == runs


def test_a_wrong_outcome_is_refused_where_every_run_is_timed(monkeypatch):
    """Without a warm-up, the timed run itself is compared with what the load asks for."""
    sleep = registry.find("sleep", "sync", "trial")[0]
    monkeypatch.setattr(
        registry, "import_module", lambda name: SimpleNamespace(prepare=lambda load: nullcontext(tuple))
    )
    monkeypatch.setattr(registry, "SCENARIOS", (replace(sleep, unwarmed=(LoadName.TRIAL,)),))
    with prepared("sleep", "sync", "trial") as run, pytest.raises(WrongOutcomeError, match="sleep/sync/trial"):
        run()


def leaky_thread(leaks):
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    leaks += [thread.join, done.set]


def leaky_loop(leaks):
    loop = asyncio.new_event_loop()
    leaks += [loop.close]


def leaky_task(leaks):
    loop = asyncio.new_event_loop()
    task = loop.create_task(asyncio.sleep(100))
    leaks += [loop.close, lambda: loop.run_until_complete(asyncio.wait([task])), task.cancel]


def leaky_file(leaks):
    descriptor = os.open(os.devnull, os.O_RDONLY)
    leaks += [partial(os.close, descriptor)]


def leaky_socket(leaks):
    opened = socket.socket()
    leaks += [opened.close]


def leaky_child(leaks):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    leaks += [child.wait, child.stdin.close]


def leaky_temporary_file(leaks):
    path = Path(tempfile.mkstemp()[1])
    leaks += [path.unlink]


def leaky_processors(leaks):
    allowed = os.sched_getaffinity(0)
    if len(allowed) == 1:
        pytest.skip("one processor is no choice")
    os.sched_setaffinity(0, {min(allowed)})
    leaks += [partial(os.sched_setaffinity, 0, allowed)]


LEAKS = {
    leaky_thread: "thread",
    leaky_loop: "loop",
    leaky_task: "task",
    leaky_file: "descriptor",
    leaky_socket: "socket",
    leaky_child: "process",
    leaky_temporary_file: "file",
    leaky_processors: "processors",
}


@pytest.mark.parametrize(("leaky", "word"), LEAKS.items())
def test_the_checker_sees_a_leak(leaky, word, nothing_left_open):
    """The negative control: a variant that leaves something open is caught, by name."""
    leaks = []
    try:
        with pytest.raises(pytest.fail.Exception, match=f"left open: .*{word}"), nothing_left_open():
            leaky(leaks)
    finally:
        for mend in reversed(leaks):
            mend()


GUARDED = [
    ("files", "plain"),
    ("files_tmpfs", "plain"),
    ("files_cpu", "processes"),
    ("loop_lag", "plain"),
    ("sqlite", "sync"),
    ("sqlite_cpu", "processes"),
    ("bulk_insert", "row_by_row"),
    ("row_commits", "sync"),
    ("cpu_sum", "processes_fork"),
    ("cpu_sum", "processes_forkserver"),
    ("cpu_sum", "processes_spawn"),
    ("cpu_modulo", "processes_spawn"),
    ("loop_lag_cpu", "processes_spawn"),
    ("payload", "processes_fork"),
    ("http", "urllib"),
    ("http_cpu", "processes"),
    ("downloads_far", "requests_session"),
    ("fastapi_cpu", "plain_def"),
    ("web", "flask_gunicorn_4"),
    ("scrape", "aiohttp_shared"),
    ("echo", "threads"),
]
"""Cases that hold processes, ports or files while they are open."""

BUSY = [
    ("pool_start", "processes_fork"),
    ("pool_start", "processes_forkserver"),
    ("pool_start", "processes_spawn"),
    ("waiting_heavy", "processes_spawn"),
    ("scrape", "requests_session"),
    ("downloads_far", "aiohttp_shared"),
]
"""Cases that start processes while they run, which would not end by themselves."""

HELD = {"scrape": 2, "downloads_far": 5}
"""Processes of those that are there before the first run: a server and its guard, the same for a line, a keeper."""

HOLDING = re.compile(
    r"\b(serving|server_group|far_away|kept_folder|targets|database|table|warm_processes|watched|weighed|Popen)\("
)


def test_every_kind_of_scenario_that_holds_something_is_killed():
    """Whoever adds a server, a pool or a file to a scenario tries here what becomes of it."""
    tried = {registry.find(*case, "trial")[0] for case in (*GUARDED, *BUSY)}
    folders = {path.parent.name for path in PACKAGE.glob("*/*.py") if HOLDING.search(path.read_text("utf-8"))}
    assert folders - {"support", "programs"} <= {scenario.folder or scenario.name for scenario in tried}


@pytest.mark.parametrize(("scenario", "variant"), GUARDED)
def test_a_killed_process_leaves_nothing(scenario, variant, tmp_path):
    """``kill -9`` of the benchmark's process ends its children, frees ports and removes files all the same."""
    with victim(tmp_path, scenario, variant, "input()") as (process, folder):
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        kept = [Path(child.cmdline()[-1]) for child in children if "keeper" in child.cmdline()]
        ports = [each.laddr.port for child in children for each in child.net_connections() if each.status == "LISTEN"]
        process.kill()
        assert not psutil.wait_procs(children, timeout=10)[1]
        assert not list(Path(folder).iterdir())
        assert not [each for each in kept if each.exists()]
        assert all(is_free(port) for port in ports)


@pytest.mark.parametrize(("scenario", "variant"), BUSY)
def test_a_process_that_is_killed_while_it_runs_leaves_nothing(scenario, variant, tmp_path):
    """What a run had started ends as well, whatever it was about."""
    with victim(tmp_path, scenario, variant, "while True: run()") as (process, folder):
        benchmark = psutil.Process(process.pid)
        awaited(lambda: len(benchmark.children(recursive=True)) > HELD.get(scenario, 0))
        seen = benchmark.children(recursive=True)
        process.kill()
        assert not psutil.wait_procs(seen, timeout=60)[1]
        assert not list(Path(folder).iterdir())


@contextmanager
def victim(tmp_path, scenario, variant, then):
    """A process that has opened a case, and its folder for temporary files."""
    (tmp_path / "killed.py").write_text(
        "import sys; from windtunnel_scenarios.registry import prepared\n"
        "if __name__ == '__main__':\n"
        "    with prepared(sys.argv[1], sys.argv[2], 'trial') as run:\n"
        f"        print('open', flush=True)\n        {then}"
    )
    with (
        tempfile.TemporaryDirectory() as folder,  # the path of a Unix socket is short, pytest's folders are not
        subprocess.Popen(
            [sys.executable, tmp_path / "killed.py", scenario, variant],
            env=os.environ | {"TMPDIR": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process,
    ):
        try:
            assert process.stdout.readline() == b"open\n"
            yield process, folder
        finally:
            process.kill()


def is_free(port):
    """Whether nobody listens there."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) != 0


def test_a_folder_without_a_keeper_is_not_left(tmp_path, monkeypatch):
    """When the keeper cannot start, the error names it and no folder stays."""
    monkeypatch.setattr("windtunnel_scenarios.support.folders.KEEPER", ("/no/such/shell",))
    with pytest.raises(FileNotFoundError, match="/no/such/shell"), kept_folder(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


WRITERS = [
    (name, variant) for name, variant in CASES if name in ("files", "files_settled", "files_durable", "files_raw")
]


@pytest.mark.parametrize(("scenario", "variant"), WRITERS)
def test_files_are_written_whole(scenario, variant, tmp_path, monkeypatch):
    """After a run there is a file for each outcome, and it holds that many bytes, the same in all."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with opened(scenario, variant) as run:
        (folder,) = tmp_path.iterdir()
        for path in folder.iterdir():
            path.write_bytes(b"longer than what a run writes" * 1000)
        outcome = run()
        contents = [path.read_bytes() for path in sorted(folder.iterdir())]
    assert tuple(len(content) for content in contents) == outcome
    assert len(set(contents)) == 1


@pytest.mark.parametrize("size", [0, 1, 2**26 + 1, 2**28])
def test_as_much_can_be_made_up_as_was_published(size):
    """A generator refuses 2**28 bytes at once, which is what the articles wrote."""
    assert len(incompressible(size)) == size
    assert incompressible(size)[-100:].count(0) < 10


def test_files_that_need_more_than_there_is_are_refused(tmp_path, monkeypatch):
    """A disk that would run full, and memory that others need, make a case unavailable; nothing is written."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UnavailableError, match="bytes free"):
        storage.places(storage.Storage.DISK, 2**62)
    if storage.filesystem(storage.MEMORY) == "tmpfs":
        with pytest.raises(UnavailableError, match="of this machine's memory"):
            storage.places(storage.Storage.TMPFS, 2**62)


def test_two_folders_of_one_disk_are_not_two_volumes(tmp_path, monkeypatch):
    """Two volumes have queues of their own; a second folder on the first disk does not count."""
    monkeypatch.setattr(storage, "disks", lambda: (tmp_path, tmp_path.parent))
    with pytest.raises(UnavailableError, match=storage.SECOND_VOLUME):
        storage.places(storage.Storage.TWO_VOLUMES, 1000)


def test_files_go_to_each_volume_in_turn(tmp_path, monkeypatch):
    """Half of the files lie on each of the two volumes."""
    volumes = (tmp_path / "one", tmp_path / "two")
    for volume in volumes:
        volume.mkdir()
    monkeypatch.setattr("windtunnel_scenarios.files.targets.places", lambda kind, size: volumes)
    _, _, load = registry.find("files_two_volumes", "plain", "quick")
    with targets(load) as files:
        assert [path.parents[1] for path in files.paths] == [*volumes] * (load.count // 2)


STUCK = "@contextmanager\ndef job():\n    yield lambda: sleep(1000)"
STUCK_WITH_POOL = "@contextmanager\ndef job():\n    with warm_processes(2, Start.SPAWN): yield lambda: sleep(1000)"


@pytest.mark.parametrize(("job", "processes"), [(STUCK, 1), (STUCK_WITH_POOL, 4)], ids=["alone", "with a pool"])
def test_a_fresh_process_ends_with_the_one_that_watches(job, processes, tmp_path):
    """``kill -9`` of the benchmark's process in the middle of a run ends the process that does the job, and its own."""
    (tmp_path / "stuck.py").write_text(
        "from contextlib import contextmanager; from time import sleep\n"
        f"from windtunnel_scenarios.support.pools import Start, warm_processes\n{job}"
    )
    script = "from windtunnel_scenarios.fresh import Watched; Watched('stuck')()"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as process:
        benchmark = psutil.Process(process.pid)
        awaited(lambda: len(benchmark.children(recursive=True)) == processes)
        children = benchmark.children(recursive=True)
        process.kill()
        assert not psutil.wait_procs(children, timeout=10)[1]


def awaited(condition):
    """What the condition yields once it is true."""
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline
    return found


def test_a_fresh_process_that_fails_says_why(nothing_left_open):
    """What it printed is in the error."""
    with nothing_left_open(), pytest.raises(RuntimeError, match=r"No module named .*no_such"):
        Watched("no_such")()


def test_growth_is_seen(tmp_path, monkeypatch):
    """A job that holds 50 MB for a while is seen to, at the peak and over time; the negative control of a flat line."""
    (tmp_path / "hungry.py").write_text(
        "from contextlib import contextmanager; from time import sleep\n"
        "from windtunnel_scenarios.scrape.scraped import weighed\n"
        "def held():\n    block = b'x' * 50_000_000; sleep(0.1); del block; sleep(0.1); return []\n"
        "@contextmanager\ndef job():\n    yield lambda: weighed(held)"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run = Watched("hungry")
    assert run() == ()
    assert 49e6 <= run.growth[0] < 60e6
    assert max(run.profile) >= 49e6
    assert run.profile[-1] < 10e6


@pytest.mark.parametrize(("variant", "order"), [("without_await", "5555533322"), ("sleep_0", "5325325355")])
def test_coroutines_take_turns_only_where_they_yield(variant, order):
    """Gathered coroutines run one after the other; with ``sleep(0)`` it is round robin, until the short ones end."""
    with opened("order", variant) as run:
        run()
        assert "".join(map(str, run.taken)) == order


def test_a_client_of_another_loop_fails():
    """What was made on one loop cannot be awaited on another: a harness that switches loops fails."""
    with kept_loop() as one, kept_loop() as other:
        theirs = one.create_future()

        async def use():
            await theirs

        with pytest.raises(RuntimeError, match="attached to a different loop"):
            other.run_until_complete(use())


def test_lag_is_seen():
    """A loop that is held up for a while records at least that while; the negative control of an idle heartbeat."""

    async def job():
        time.sleep(0.05)  # noqa: ASYNC251 - what holds the loop up
        return ()

    with kept_loop() as loop:
        lag = Lag(loop, job)
        assert lag() == ()
    assert lag.recorded[0] >= 0.04


def test_a_request_is_late_from_when_it_was_due():
    """At a fixed rate, a request that found no free connection has waited: its latency counts from its time."""
    calls = Calls(path="/0.03", count=5, connections=1, rate=100.0)
    with (
        serving("windtunnel_scenarios.programs.http_server", "0") as port,
        kept_loop() as loop,
        generator(loop, port, calls) as run,
    ):
        run()
        assert list(run.recorded) == sorted(run.recorded)
        assert run.recorded[-1] >= 5 * 0.03 - 4 * 0.01


def test_a_server_that_does_not_start_says_why(nothing_left_open):
    """What it printed instead of its port is in the error, and no process of it is left."""
    starting = serving("windtunnel_scenarios.no_such")
    with nothing_left_open(), pytest.raises(RuntimeError, match=r"No module named .*no_such"), starting:
        pass


@pytest.mark.parametrize(("how", "connections"), [({}, 3), ({"fresh": True}, 9), ({"keep": False}, 21)])
def test_requests_share_connections_where_they_are_kept(how, connections, monkeypatch):
    """Three runs of seven requests over three connections open three, or three each, or one for each request."""
    opened = []

    async def open_connection(*address):
        opened.append(address)
        return await asyncio.open_connection(*address)

    monkeypatch.setattr(load_generator, "open_connection", open_connection)
    calls = Calls(path="/0.001", count=7, connections=3, **how)
    with (
        serving("windtunnel_scenarios.programs.http_server", "0") as port,
        kept_loop() as loop,
        generator(loop, port, calls) as run,
    ):
        assert [run() for _ in range(3)] == [("0.001",) * 7] * 3
        assert len(run.recorded) == 7
        assert min(run.recorded) >= 0.001
    assert len(opened) == connections


@pytest.mark.parametrize(
    ("cores", "asking", "serving"),
    [
        (["0", "1"], {1}, {0}),
        (["0-1", "0-1"], {1}, {0}),
        (["0,2", "1,3", "0,2", "1,3"], {3}, {0, 2}),
        (["0-1", "0-1", "2-3", "2-3"], {3}, {0, 1}),
        (["0"], {0}, {0}),
        ([], {2}, {1}),
    ],
    ids=["two cores", "two threads of one", "Linux on x86", "Linux on POWER", "a single one", "not told"],
)
def test_a_server_shares_no_core_where_there_are_two(cores, asking, serving, tmp_path, monkeypatch):
    """Two threads of a core are not two cores."""
    monkeypatch.setattr(cpu_affinity, "TOPOLOGY", tmp_path)
    for number, siblings in enumerate(cores):
        (tmp_path / f"cpu{number}" / "topology").mkdir(parents=True)
        (tmp_path / f"cpu{number}" / "topology" / "thread_siblings_list").write_text(f"{siblings}\n")
    assert cpu_affinity.divided(frozenset(range(len(cores))) or frozenset({1, 2})) == (asking, serving)


@pytest.mark.skipif(len(psutil.Process().cpu_affinity()) == 1, reason="one processor is shared")
@pytest.mark.parametrize("variant", ["async_def", "plain_def", "plain_def_uvloop"])
def test_a_server_that_computes_and_who_asks_it_keep_apart(variant):
    """All threads of the server stay off the processor of the thread that asks, which alone keeps to it."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with opened("fastapi_cpu", variant) as run:
        run()
        asking = os.sched_getaffinity(0)
        serving = [
            os.sched_getaffinity(thread.id)
            for child in psutil.Process().children(recursive=True)
            if child.pid not in before
            for thread in child.threads()
        ]
    assert len(asking) == 1
    assert serving
    assert not any(asking & each for each in serving)


def test_a_far_server_is_a_round_trip_away_each_time():
    """A new connection costs a round trip, one for TLS 1.3 and one for the request; a kept one only the last."""
    _, _, near = registry.find("downloads_far", "requests_session", "trial")
    with far_away(replace(near, round_trip=0.2), "unused") as program:
        url, _, trusted = program.command[-3:]
        with trusting(trusted) as session:
            seconds = [timed(lambda: get(session, url)) for _ in range(3)]
    assert seconds[0] > 0.6
    assert all(0.2 < later < 0.6 for later in seconds[1:])


def test_a_client_that_fails_says_why(nothing_left_open):
    """What the program printed is in the error, and the program is gone."""
    with nothing_left_open(), pytest.raises(RuntimeError, match=r"No module named .*no_such"):
        Program(sys.executable, "-m", "no_such")()


def timed(call):
    """How many seconds a call takes."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def test_what_a_group_of_processes_computes_is_seen():
    """The server's processes count, workers included; who asks does not."""
    module = "windtunnel_scenarios.programs.planet_server"
    calls = Calls(path="/Mars", count=400, connections=4)
    with (
        server_group(module, "flask_app", "2") as (port, group),
        kept_loop() as loop,
        generator(loop, port, calls) as run,
    ):
        run()
        before = group_seconds(group)
        run()
        worked = group_seconds(group) - before
        idle = group_seconds(group)
        time.sleep(0.2)
        assert worked > 0.02
        assert group_seconds(group) - idle <= 0.05

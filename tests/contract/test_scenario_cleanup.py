"""What a case leaves behind: nothing, also when its process is killed."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest
from builders.scenarios import wait_until
from builders.survivors import survivors

import windtunnel_scenarios
from studies import case_processes
from windtunnel_scenarios.model import UnavailableError
from windtunnel_scenarios.registry import MODULES, check_available, find
from windtunnel_scenarios.support.folders import temporary_folder

PACKAGE = Path(windtunnel_scenarios.__file__).parent


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
        for repair in reversed(leaks):
            repair()


WITH_RESOURCES = [
    ("files", "sync"),
    ("files_tmpfs", "sync"),
    ("files_dd", "dd_serial"),
    ("read_small_cold", "sync"),
    ("files_cpu", "processes"),
    ("loop_lag_files", "blocking"),
    ("sqlite_queries", "sync"),
    ("sqlite_cpu_1pct", "processes"),
    ("sqlite_bulk_insert", "row_by_row"),
    ("sqlite_row_commits", "sync"),
    ("insert_rows", "sqlite_wal_commit_each"),
    ("blocking_files", "one_to_thread"),
    ("blocking_sqlite", "one_to_thread"),
    ("waiting_connections", "client_threads"),
    ("cpu_sum", "processes_fork"),
    ("cpu_sum", "processes_forkserver"),
    ("cpu_sum", "processes_spawn"),
    ("cpu_modulo", "processes_spawn"),
    ("payload", "processes_fork"),
    ("payload", "joblib"),
    ("http_requests", "urllib"),
    ("http_in_turn", "requests"),
    ("http_cpu_1pct", "processes"),
    ("downloads_far", "requests_session"),
    ("fastapi_keep_alive", "plain_def"),
    ("computing_endpoint", "process_pool"),
    ("computing_endpoint", "flask_process_pool"),
    ("web_keep_alive", "flask_gunicorn_4"),
    ("servers_keep_alive", "granian"),
    ("https_warm", "requests"),
    ("servers_new_connections", "gunicorn_sync"),
    ("scrape", "aiohttp_session"),
    ("scrape_files", "sync"),
    ("echo", "threads"),
    ("echo_messages", "asyncio_client"),
    ("database_endpoint", "fastapi_def_psycopg_pool_4"),
    ("websocket_server", "websockets_threads"),
    ("stream_uploads", "requests_threads"),
    ("grpc_unary", "aio_server_aio_client"),
    ("redis_commands", "sync"),
    ("sqlite_wal", "sync"),
    ("parallel_sums", "processes_4"),
]
"""Cases that hold processes, ports or files while they are open."""

STARTING_PROCESSES = [
    ("back_pressure_memory", "threads_100"),
    ("waiting_tasks", "tasks"),
    ("payload_cold", "processes_spawn"),
    ("pool_start", "processes_fork"),
    ("pool_start", "processes_forkserver"),
    ("pool_start", "processes_spawn"),
    ("pool_jobs", "kept_processes_spawn"),
    ("imports", "fastapi"),
    ("scrape", "requests_session"),
    ("downloads_far", "aiohttp_session"),
]
"""Cases that start processes while they run, which would not end by themselves."""

HELD_PROCESSES = {"scrape": 2, "downloads_far": 5}
"""How many of those exist before the first run: a server and its guard, the same for the delay line, a keeper."""

HOLDING = re.compile(
    r"\b(running_server|temporary_folder|target_files|database|warm_processes|pool_variants|measured_subprocess|"
    r"Popen|database_server)\("
)
"""What a module calls to hold a process, a port or a file."""


def test_every_module_that_holds_something_is_killed():
    """A new scenario with a server, a pool or a file is listed here, so that its cleanup is tested."""
    killed = {scenario for scenario, _ in (*WITH_RESOURCES, *STARTING_PROCESSES)} | {"postgres_select", "postgres_rows"}
    for module, scenarios in MODULES.items():
        if HOLDING.search((PACKAGE / f"{module}.py").read_text(encoding="utf-8")):
            assert killed & set(scenarios), module


@pytest.mark.parametrize(("scenario", "variant"), WITH_RESOURCES)
def test_a_killed_process_leaves_nothing(scenario, variant, tmp_path):
    """``kill -9`` of the benchmark's process ends its children, frees ports and removes files."""
    with open_process(tmp_path, scenario, variant, "input()") as (process, folder):
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        kept = [Path(child.cmdline()[-1]) for child in children if "keeper" in child.cmdline()]
        ports = [each.laddr.port for child in children for each in child.net_connections() if each.status == "LISTEN"]
        process.kill()
        assert not survivors(children)
        assert not list(Path(folder).iterdir())
        assert not [each for each in kept if each.exists()]
        wait_until(lambda: all(map(is_free, ports)))  # a killed process has its sockets until its last thread ends


ENDS = {
    "by an error": ("input(); raise SystemExit(1)", lambda process: process.communicate(b"\n")),
    "by kill -9": ("input()", lambda process: process.kill()),
}


@pytest.mark.parametrize(("body", "end"), ENDS.values(), ids=ENDS)
def test_postgresql_leaves_nothing(body, end, tmp_path):
    """However the benchmark's process ends: no process, port, folder or shared memory."""
    with open_process(tmp_path, "postgres_select", "sync", body) as (process, folder):
        children = psutil.Process(process.pid).children(recursive=True)
        ports = {each.laddr.port for child in children for each in child.net_connections() if each.status == "LISTEN"}
        assert len(ports) == 1
        assert shared_memory(children)
        end(process)
        assert not survivors(children)
        assert not shared_memory(children)
        assert not list(Path(folder).iterdir())
        wait_until(lambda: all(map(is_free, ports)))  # a killed process has its sockets until its last thread ends


CREATOR = 4
"""The column of ``/proc/sysvipc/shm`` with the process."""


def shared_memory(processes):
    """The System V segments of shared memory that these processes created."""
    rows = Path("/proc/sysvipc/shm").read_text(encoding="ascii").splitlines()[1:]
    return [row for row in rows if int(row.split()[CREATOR]) in {each.pid for each in processes}]


@pytest.mark.parametrize(("scenario", "variant"), STARTING_PROCESSES)
def test_a_process_that_is_killed_during_a_run_leaves_nothing(scenario, variant, tmp_path):
    """What a run had started ends too."""
    with open_process(tmp_path, scenario, variant, "while True: run()") as (process, folder):
        benchmark = psutil.Process(process.pid)
        wait_until(lambda: len(benchmark.children(recursive=True)) > HELD_PROCESSES.get(scenario, 0))
        children = benchmark.children(recursive=True)
        process.kill()
        assert not survivors(children)
        assert not list(Path(folder).iterdir())


LEAKY = """
import subprocess, sys, tempfile
tempfile.mkstemp()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print("ran", flush=True)
input()
"""


def test_the_study_of_all_cases_sees_what_stays(monkeypatch):
    """The negative control of studies.case_processes, which examines every case with every end."""
    assert not case_processes.examine(["print('ran', flush=True); input()"], "normal").left
    monkeypatch.setattr(case_processes, "PATIENCE", 0)
    found = case_processes.examine([LEAKY], "kill")
    assert {each.split()[0] for each in found.left} >= {"process", "file"}
    assert found.cpu > 0


@contextmanager
def open_process(tmp_path, scenario, variant, body):
    """A process that has opened a case, and its folder for temporary files; skips a case that this system lacks."""
    try:
        check_available(find(scenario, variant, "trial")[1])
    except UnavailableError as reason:
        pytest.skip(str(reason))
    (tmp_path / "killed.py").write_text(
        "import sys; from windtunnel_scenarios.registry import prepared\n"
        "if __name__ == '__main__':\n"
        "    with prepared(sys.argv[1], sys.argv[2], 'trial') as run:\n"
        f"        print('open', flush=True)\n        {body}"
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
        Path(folder).chmod(0o711)  # the user that runs PostgreSQL can enter it
        try:
            assert process.stdout.readline() == b"open\n"
            yield process, folder
        finally:
            process.kill()


def is_free(port):
    """Whether nothing listens there."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) != 0


def test_a_folder_without_a_keeper_is_removed(tmp_path):
    """When the keeper cannot start, the error names it and no folder stays."""
    with pytest.raises(FileNotFoundError, match="/no/such/shell"), temporary_folder(tmp_path, ("/no/such/shell",)):
        pass
    assert not list(tmp_path.iterdir())


STUCK = "@contextmanager\ndef job():\n    yield lambda: sleep(1000)"
STUCK_WITH_POOL = "@contextmanager\ndef job():\n    with warm_processes(2): yield lambda: sleep(1000)"


@pytest.mark.parametrize(("job", "processes"), [(STUCK, 1), (STUCK_WITH_POOL, 4)], ids=["alone", "with a pool"])
def test_a_measured_subprocess_ends_with_its_parent(job, processes, tmp_path):
    """``kill -9`` of the benchmark's process during a run ends the process that does the job, and its children."""
    (tmp_path / "stuck.py").write_text(
        "from contextlib import contextmanager; from time import sleep\n"
        f"from windtunnel_scenarios.support.pools import warm_processes\n{job}"
    )
    script = (
        "from windtunnel_scenarios.support.subprocess_run import MeasuredSubprocess\nMeasuredSubprocess('stuck:job')()"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as process:
        benchmark = psutil.Process(process.pid)
        wait_until(lambda: len(benchmark.children(recursive=True)) == processes)
        children = benchmark.children(recursive=True)
        process.kill()
        assert not survivors(children)

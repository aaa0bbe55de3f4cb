"""What techniques open and measure with: files, storage, servers, the load generator, memory, CPU affinity."""

import asyncio
import fcntl
import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
from threading import Thread

import psutil
import pytest
import urllib3
from builders.scenarios import SCENARIOS, opened

from studies.two_volumes import volume
from windtunnel_scenarios import cpu_sum, files, scrape, waiting_connections
from windtunnel_scenarios.cpu_modulo import CPU_MODULO, DIVISORS, shared_outcome
from windtunnel_scenarios.downloads_far import CLIENTS, DOWNLOADS_FAR, ClientProgram, far_client, trusting_session
from windtunnel_scenarios.files import (
    FILES_SYNCED,
    FILES_TWO_DISKS,
    aiofiles_writes,
    incompressible,
    synced,
    target_files,
)
from windtunnel_scenarios.http_clients import open_requests_session, requests_get
from windtunnel_scenarios.https_clients import httpx_async_client, tls_server
from windtunnel_scenarios.loop_lag import LagRun
from windtunnel_scenarios.model import UnavailableError, Variant
from windtunnel_scenarios.support import load_generator as load_generator_module
from windtunnel_scenarios.support import storage
from windtunnel_scenarios.support.cpu_affinity import split_processors
from windtunnel_scenarios.support.database_servers import Commands, database_server
from windtunnel_scenarios.support.load_generator import Requests, connect_and_send, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.open_files import allow_open_files, is_readable
from windtunnel_scenarios.support.procfs import group_cpu_seconds
from windtunnel_scenarios.support.servers import running_server
from windtunnel_scenarios.support.subprocess_run import MeasuredSubprocess
from windtunnel_scenarios.support.worker_functions import check_gil, sum_remainders

HTTP_SERVER = ("windtunnel_scenarios.programs.http_server", "0")

WRITERS = [
    (scenario.name, variant.name)
    for scenario in SCENARIOS
    if scenario.name in ("files", "files_synced", "files_fsync", "files_dd", "files_dd_synced")
    for variant in scenario.variants
]


@pytest.mark.parametrize(("scenario", "variant"), WRITERS)
def test_files_are_written_completely(scenario, variant, tmp_path, monkeypatch):
    """After a run there is a file for each outcome; it holds that many bytes, the same in all."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with opened(scenario, variant) as run:
        (folder,) = tmp_path.iterdir()
        for path in folder.iterdir():
            path.write_bytes(b"longer than what a run writes" * 1000)
        outcome = run()
        contents = [path.read_bytes() for path in sorted(folder.iterdir())]
    assert tuple(len(content) for content in contents) == outcome
    assert len(set(contents)) == 1


def test_a_synced_run_ends_when_the_disk_has_everything(monkeypatch):
    """There is one ``sync`` in each run, after the last file."""
    events = []
    monkeypatch.setattr(os, "sync", lambda: events.append("sync"))
    (variant,) = synced(Variant(name="sync", technique=lambda load: nullcontext(lambda: events.append(load) or (1,))))
    with variant.technique("write") as run:
        assert run() == (1,)
    assert events == ["write", "sync"]


def test_new_files_of_dd_do_not_exist_before_a_run():
    """They are removed before the clock starts; files that are written over stay."""
    for name, left in (("dd_serial_new", []), ("dd_serial", [True] * 3)):
        with opened("files_dd_synced", name) as run:
            run()
            run.prepare()
            assert [path.exists() for path in run._paths if path.exists()] == left


def test_a_file_is_open_before_its_coroutine_takes_the_semaphore(tmp_path, monkeypatch):
    """As published: the semaphore limits the writes, not the open files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    semaphores = []
    monkeypatch.setattr(files, "Semaphore", lambda size: semaphores.append(asyncio.Semaphore(size)) or semaphores[0])

    async def job(coroutines):
        await semaphores[0].acquire()
        writing = asyncio.gather(*coroutines())
        while len([*tmp_path.glob("*/*.bin")]) < 3:  # noqa: ASYNC110 - threads open them
            await asyncio.sleep(0.001)
        assert not any(path.stat().st_size for path in tmp_path.glob("*/*.bin"))
        semaphores[0].release()
        return await writing

    with event_loop() as loop, aiofiles_writes(FILES_SYNCED.loads.trial, loop, max_writes=1) as coroutines:
        assert tuple(loop.run_until_complete(job(coroutines))) == FILES_SYNCED.loads.trial.outcome


def test_a_total_with_a_shared_generator_is_checked():
    """It may differ by chance, but not as much as it does without a job or without the skipped numbers."""
    load = CPU_MODULO.loads.trial
    every_number = sum(number % divisor for divisor in DIVISORS for number in range(load.iterations))
    assert shared_outcome(load, round(load.total * 1.005)) == load.outcome
    assert shared_outcome(load, every_number) != load.outcome
    assert shared_outcome(load, load.total - sum_remainders(3, load.iterations)) != load.outcome


@pytest.mark.parametrize("size", [0, 1, 2**28 + 1])
def test_random_data_can_have_the_published_size(size):
    """The generator refuses 2**28 bytes at once, which is the size of the published files."""
    data = incompressible(size)
    assert len(data) == size
    assert data[-100:].count(0) < 10


def test_files_without_enough_room_are_refused(tmp_path, monkeypatch):
    """A case is unavailable when its files would fill a disk or take most of the memory."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UnavailableError, match="bytes free"):
        storage.find_folders(storage.Storage.DISK, 2**62)
    if storage.file_system(storage.TMPFS) == "tmpfs":
        with pytest.raises(UnavailableError, match="of this machine's memory"):
            storage.find_folders(storage.Storage.TMPFS, 2**62)


def test_two_folders_of_one_disk_are_not_two_disks(tmp_path):
    """Two disks have queues of their own; a second folder on the first disk does not count."""
    with pytest.raises(UnavailableError, match=storage.SECOND_DISK):
        storage.find_two_disks((tmp_path, tmp_path.parent))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_volume_in_memory_is_a_disk_and_one_on_a_disk_is_that_disk(tmp_path):
    """A loop device has a queue of its own, but the disk below it has one queue for all."""
    with volume(8) as first, volume(8) as second, volume(8, tmp_path) as on_the_disk:
        assert storage.find_two_disks((first, second)) == (first, second)
        assert storage.disk_of(on_the_disk) == storage.disk_of(tmp_path)


def test_files_go_to_each_disk_in_turn(tmp_path):
    """Half of the files are on each of the two disks."""
    disks = (tmp_path / "one", tmp_path / "two")
    for disk in disks:
        disk.mkdir()
    load = FILES_TWO_DISKS.loads.quick
    with target_files(load, parents=disks) as files:
        assert [path.parents[1] for path in files.paths] == [*disks] * (load.count // 2)


def test_a_measured_subprocess_that_fails_reports_why(nothing_left_open):
    """What it printed is in the error."""
    with nothing_left_open(), pytest.raises(RuntimeError, match=r"No module named .*no_such"):
        MeasuredSubprocess("no_such:job")()


class ResetAtTheEnd(socket.socket):
    """A connection that says at its end that it was reset, as TLS does with OpenSSL 3.6."""

    def recv(self, *args):
        """Wait as ever, and raise instead of returning nothing."""
        super().recv(*args)
        raise ConnectionResetError


def test_a_connection_that_is_reset_ends_its_thread_without_a_traceback(monkeypatch):
    """A traceback would stand where the measured numbers are read."""
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    ends = [socket.socketpair() for _ in range(2)]
    openers = (lambda end=end: ResetAtTheEnd(fileno=end.detach()) for end, _ in ends)
    with waiting_connections.threads_on(openers, 2) as waiting:
        pass
    for _, other in ends:
        other.close()
    assert (waiting, raised) == (2, [])


def test_memory_growth_is_measured(tmp_path, monkeypatch):
    """A job that holds 50 MB for a while shows them, at the peak and over time."""
    (tmp_path / "hungry.py").write_text(
        "from contextlib import contextmanager; from time import sleep\n"
        "from windtunnel_scenarios.support.subprocess_run import measure_peak\n"
        "def held():\n    block = b'x' * 50_000_000; sleep(0.1); del block; sleep(0.1); return []\n"
        "@contextmanager\ndef job():\n    yield lambda: measure_peak(held)"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run = MeasuredSubprocess("hungry:job")
    assert run() == ()
    assert 49e6 <= run.recorded["peak_growth"][0] < 60e6
    assert run.recorded["peak_memory"][0] > run.recorded["peak_growth"][0] + 4e6, "the interpreter itself counts"
    assert max(run.recorded["memory_profile"]) >= 49e6
    assert run.recorded["memory_profile"][-1] < 10e6


@pytest.mark.parametrize(("variant", "order"), [("without_await", "5555533322"), ("sleep_0", "5325325355")])
def test_coroutines_take_turns_only_where_they_yield(variant, order):
    """Gathered coroutines run one after the other; with ``sleep(0)`` they take turns until the short ones end."""
    with opened("execution_order", variant) as run:
        run()
        assert "".join(map(str, run.log)) == order


@pytest.mark.parametrize(
    ("variant", "yields"), [("never", 1), ("every_1000", 1), ("every_100", 10), ("every_10", 100), ("every_1", 1000)]
)
def test_each_sum_yields_after_so_many_additions(variant, yields, monkeypatch):
    """The outcome does not show it. The trial's sums have a thousand additions."""
    slept, sleep = [], asyncio.sleep
    with opened("cpu_yield", variant) as run:
        monkeypatch.setattr(asyncio, "sleep", lambda delay: slept.append(delay) or sleep(delay))
        run()
    assert slept == [0] * yields * cpu_sum.SUMS


@pytest.mark.parametrize(
    ("variant", "threads"), [("thread_shares", 12), ("thread_shares_64_os", 64), ("to_thread", 12)]
)
def test_files_are_read_in_as_many_threads_as_the_name_says(variant, threads):
    """All threads of the pool run before the clock starts."""
    before = threading.active_count()
    with opened("read_small", variant):
        assert threading.active_count() - before == threads


def test_what_watches_a_parent_imports_next_to_nothing():
    """Each process of a pool imports it, inside the clock of pool_start."""
    script = "import sys; import windtunnel_scenarios.support.parent_watch; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert not {"random", "json", "asyncio", "subprocess", "multiprocessing"}.intersection(found.stdout.split())


def test_a_client_of_another_loop_fails():
    """What was created on one loop cannot be awaited on another."""
    with event_loop() as one, event_loop() as other:
        future = one.create_future()

        async def use():
            await future

        with pytest.raises(RuntimeError, match="attached to a different loop"):
            other.run_until_complete(use())


def test_lag_is_measured():
    """A loop that is blocked for a while records at least that while as its lag."""

    async def job():
        time.sleep(0.05)  # noqa: ASYNC251 - blocks the loop
        return ()

    with event_loop() as loop:
        run = LagRun(loop, job)
        assert run() == ()
    assert run.recorded["lag"][0] >= 0.04


def test_latency_at_a_fixed_rate_counts_from_when_a_request_was_due():
    """A request that found no free connection has waited."""
    requests = Requests(path="/0.03", count=5, connections=1, rate=100.0)
    with (
        running_server(*HTTP_SERVER) as server,
        event_loop() as loop,
        load_generator(loop, server.port, requests) as run,
    ):
        run()
        latencies = list(run.recorded["latency"])
    assert latencies == sorted(latencies)
    assert latencies[-1] >= 5 * 0.03 - 4 * 0.01


def test_a_server_that_does_not_start_reports_why(nothing_left_open):
    """What it printed instead of its port is in the error, and no process of it is left."""
    starting = running_server("windtunnel_scenarios.no_such")
    with nothing_left_open(), pytest.raises(RuntimeError, match=r"No module named .*no_such"), starting:
        pass


def test_a_server_that_prints_a_warning_first_is_an_error_with_that_warning(monkeypatch):
    """It goes on serving, so its output has no end."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    starting = running_server("http.server", "0", "--bind", "127.0.0.1")
    with pytest.raises(RuntimeError, match=r"http\.server did not start: Serving HTTP on 127\.0\.0\.1"), starting:
        pytest.fail("the server printed a port")


WAIT_FOR_A_SERVER = """
import socket, sys
from windtunnel_scenarios.programs.app_server import print_port_when_open

with socket.create_server(("127.0.0.1", 0)) as server:
    before = set(sys.modules)
    print_port_when_open(server)
print(sorted(set(sys.modules) - before))
"""


def test_waiting_for_a_server_imports_nothing():
    """Importing an extension turns the lock of a free-threaded Python on for a moment, and granian refuses to start."""
    done = subprocess.run([sys.executable, "-c", WAIT_FOR_A_SERVER], capture_output=True, text=True, check=True)
    port, imported = done.stdout.splitlines()
    assert (port.isdecimal(), imported) == (True, "[]")


@contextmanager
def recording_generator(requests, *, first_is_slow=False, before=""):
    """A load generator for a server that answers after a delay, and when the generator opened its connections.

    A first connection that is slow comes up when all others have made their requests. With a path *before*, each
    connection has made a request for it.
    """
    opened_connections = []

    async def connect(port, first):
        opened_connections.append(time.perf_counter())
        if first_is_slow and len(opened_connections) == 1:
            workers = {task for task in asyncio.all_tasks() if task.get_coro().__name__ == "make_in_turn"}
            await asyncio.wait(workers - {asyncio.current_task()})
        return await connect_and_send(port, first)

    with (
        running_server(*HTTP_SERVER) as server,
        event_loop() as loop,
        load_generator(loop, server.port, requests, connect) as run,
    ):
        if before:
            loop.run_until_complete(run.connect(before))
        yield run, opened_connections


@pytest.mark.parametrize(
    ("options", "connections", "left"), [({}, 3, 3), ({"reconnect": True}, 9, 0), ({"keep_alive": False}, 18, 0)]
)
def test_requests_share_connections_that_are_kept(options, connections, left):
    """Three runs of six requests over three connections open three, or three each, or one for each request.

    Only connections that the next run uses are left open: a server that closes some is not idle.
    """
    with recording_generator(Requests(path="/0.001", count=6, connections=3, **options)) as (run, opened_connections):
        assert [run() for _ in range(3)] == [("0.001",) * 6] * 3
        latencies = run.recorded["latency"]
        assert [each.status for each in psutil.Process().net_connections("tcp4")].count("ESTABLISHED") == left
    assert len(latencies) == 6
    assert min(latencies) >= 0.001
    assert len(opened_connections) == connections


def test_connections_that_are_open_before_the_run_have_been_answered():
    """Each has the answer to a request for another path, so the server has accepted it; the run opens none."""
    with recording_generator(Requests(path="/0.001", count=3, connections=3), before="/0.05") as (run, connections):
        assert len(connections) == 3
        assert time.perf_counter() - connections[0] > 0.05
        assert run() == ("0.001",) * 3
        assert len(connections) == 3


def test_a_remainder_of_requests_is_not_made():
    """As with hey: seven requests over three connections are two on each."""
    with recording_generator(Requests(path="/0.001", count=7, connections=3)) as (run, _):
        assert run() == ("0.001",) * 6


def test_each_connection_makes_its_own_share():
    """A connection that is slow to come up stops no other, and no other makes its requests."""
    with recording_generator(Requests(path="/0.01", count=6, connections=3), first_is_slow=True) as (run, _):
        run()
        slow, *others = (run.recorded["latency"][begin : begin + 2] for begin in (0, 2, 4))
    assert slow[0] > max(map(sum, others))  # a latency begins before the connecting


def test_the_first_bytes_are_sent_before_there_are_streams(monkeypatch):
    """A connection that is up sends at once; when nothing can be done with it, it is closed."""

    async def refuse(**_):
        raise OSError("no streams")

    monkeypatch.setattr(load_generator_module, "open_connection", refuse)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        with pytest.raises(OSError, match="no streams"):
            asyncio.run(connect_and_send(listening.getsockname()[1], b"hello"))
        accepted, _ = listening.accept()
        with accepted:
            assert (accepted.recv(5), accepted.recv(5)) == (b"hello", b"")


CLOSING_SERVER = r"""
import sys, time
from windtunnel_scenarios.support.servers import listening_socket
with listening_socket() as opened:
    while True:
        connection, _ = opened.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
"""
"""Closes each connection after its answer without saying so."""


def test_a_connection_that_the_server_closed_between_two_runs_is_replaced(tmp_path, monkeypatch):
    """A server may close an idle connection; the next run opens another one, as hey does."""
    (tmp_path / "closing.py").write_text(CLOSING_SERVER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    requests = Requests(path="/", count=2, connections=2)
    with running_server("closing") as server, event_loop() as loop, load_generator(loop, server.port, requests) as run:
        assert run() == ("x", "x")
        time.sleep(0.05)
        assert run() == ("x", "x")


@pytest.mark.parametrize(
    ("cores", "client", "server"),
    [
        (["0", "1"], {1}, {0}),
        (["0-1", "0-1"], {1}, {0}),
        (["0,2", "1,3", "0,2", "1,3"], {3}, {0, 2}),
        (["0-1", "0-1", "2-3", "2-3"], {3}, {0, 1}),
        (["0"], {0}, {0}),
        ([], {2}, {1}),
    ],
    ids=["two cores", "two threads of one", "Linux on x86", "Linux on POWER", "a single one", "not reported"],
)
def test_a_server_shares_no_core_where_there_are_two(cores, client, server, tmp_path):
    """Two threads of a core are not two cores."""
    for number, siblings in enumerate(cores):
        (tmp_path / f"cpu{number}" / "topology").mkdir(parents=True)
        (tmp_path / f"cpu{number}" / "topology" / "thread_siblings_list").write_text(f"{siblings}\n")
    assert split_processors(frozenset(range(len(cores))) or frozenset({1, 2}), tmp_path) == (client, server)


@pytest.mark.skipif(len(psutil.Process().cpu_affinity()) == 1, reason="a single processor is shared")
@pytest.mark.parametrize(
    ("scenario", "variant"),
    [
        ("fastapi_keep_alive", "async_def"),
        ("fastapi_keep_alive", "plain_def"),
        ("fastapi_keep_alive", "plain_def_uvloop"),
        ("web_keep_alive", "flask_gunicorn_4"),
    ],
)
def test_a_server_that_computes_and_its_client_have_processors_of_their_own(scenario, variant):
    """All threads and workers of the server stay off the processor of the client's thread."""
    with opened(scenario, variant) as run:
        run()
        client = os.sched_getaffinity(0)
        server = server_processors()
    assert len(client) == 1
    assert server
    assert not any(client & each for each in server)


@pytest.mark.skipif(len(psutil.Process().cpu_affinity()) == 1, reason="a single processor is shared")
def test_two_servers_that_are_open_at_once_are_both_off_the_processor_of_their_client():
    """A process may open several cases; when all are closed, it has all processors again."""
    before = os.sched_getaffinity(0)
    with opened("fastapi_keep_alive", "async_def"):
        with opened("fastapi_keep_alive", "plain_def"):
            both = server_processors()
        client = os.sched_getaffinity(0)
    assert len(both) >= 2
    assert len(client) == 1
    assert not any(client & each for each in both)
    assert os.sched_getaffinity(0) == before


def server_processors():
    """The processors of each thread of the servers that this process has started."""
    family = psutil.Process().children(recursive=True)
    running = [child for child in family if child.status() != psutil.STATUS_ZOMBIE]
    servers = [child for child in running if "_server" in " ".join(child.cmdline())]
    return [os.sched_getaffinity(thread.id) for server in servers for thread in server.threads()]


def test_a_far_server_is_a_round_trip_away_each_time():
    """A new connection costs a round trip, one for TLS 1.3 and one for the request; a kept one only the last."""
    load = replace(DOWNLOADS_FAR.loads.trial, round_trip=0.2)
    with far_client(load, "unused") as program:
        url, _, certificate = program.command[-3:]
        with trusting_session(certificate) as session:
            seconds = [timed(lambda: requests_get(session, url)) for _ in range(3)]
    assert seconds[0] > 0.6
    assert all(0.2 < later < 0.6 for later in seconds[1:])


@pytest.mark.parametrize(("client", "connections"), [("requests_session", 1), ("requests_session_per_request", 3)])
def test_only_a_session_per_request_opens_a_connection_for_each(client, connections):
    """One session keeps its connection; the clients of both scenarios do."""
    with counting_server() as (url, opened_connections):
        assert CLIENTS[client](url, 3, "unused") == ("0",) * 3
        assert len(opened_connections) == connections
        with getattr(scrape, client)(url, "3") as measured:
            assert measured()[0] == [0, 0, 0]
        assert len(opened_connections) == 2 * connections


@contextmanager
def counting_server():
    """A server that answers 0 to everything and lists the connections that it was asked over."""
    connections = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            super().setup()
            connections.append(self.client_address)

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "1")
            self.end_headers()
            self.wfile.write(b"0")

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/0", connections
        finally:
            server.shutdown()
            thread.join()


def test_a_server_with_a_limit_handles_no_more_at_a_time():
    """Six requests of 50 ms, two at a time, take three times 50 ms, however many the client sends at once."""
    with running_server(HTTP_SERVER[0], "2") as server, ThreadPoolExecutor(max_workers=6) as pool:
        url = f"http://127.0.0.1:{server.port}/0.05"
        with open_requests_session() as session:
            assert timed(lambda: list(pool.map(requests_get, [session] * 6, [url] * 6))) >= 0.15


def test_a_client_program_that_fails_reports_why(nothing_left_open):
    """What the program printed is in the error, and the program has ended."""
    with nothing_left_open(), pytest.raises(RuntimeError, match=r"No module named .*no_such"):
        ClientProgram(sys.executable, "-m", "no_such")()


def timed(function):
    """How many seconds a call takes."""
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def test_the_processor_time_of_a_process_group_is_measured():
    """The server's processes count, workers included; the client does not."""
    requests = Requests(path="/Mars", count=400, connections=4)
    with (
        running_server("windtunnel_scenarios.programs.planet_server", "flask", "2") as server,
        event_loop() as loop,
        load_generator(loop, server.port, requests) as run,
    ):
        run()
        before = group_cpu_seconds(server.process_group)
        run()
        busy = group_cpu_seconds(server.process_group) - before
        idle = group_cpu_seconds(server.process_group)
        time.sleep(0.2)
        assert busy > 0.02
        assert group_cpu_seconds(server.process_group) - idle <= 0.05


@pytest.mark.parametrize(("free_threaded", "enabled", "fails"), [(1, True, True), (1, False, False), (0, True, False)])
def test_a_free_threaded_python_whose_gil_is_on_fails(free_threaded, enabled, fails, monkeypatch):
    """Its figures would be those of a Python with a GIL; on other Pythons the case is the control."""
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": free_threaded}.get)
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: enabled, raising=False)
    with pytest.raises(RuntimeError, match="GIL of this free-threaded Python is on") if fails else nullcontext():
        check_gil()


def test_a_database_server_that_cannot_start_says_why_and_leaves_nothing(tmp_path, monkeypatch):
    """The error holds what the server wrote, and its folder is removed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    failing = Commands(prepare="true", serve="sh -c 'echo no room; exit 1'", stop="KILL", ready=b"ready")
    with pytest.raises(RuntimeError, match="did not start: no room"), database_server(lambda folder, server: failing):
        pass
    assert not list(tmp_path.iterdir())


def test_cases_that_are_open_at_once_share_a_database_server(tmp_path, monkeypatch, capfd):
    """The last one to close stops it, and nothing is printed about that."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sleeping = Commands(prepare="true", serve="sh -c 'echo ready; exec sleep 100'", stop="KILL", ready=b"ready")

    def commands(folder, server):
        return sleeping

    first, second = database_server(commands), database_server(commands)
    assert first.__enter__() is second.__enter__()
    first.__exit__(None, None, None)
    assert len(list(tmp_path.iterdir())) == 1
    second.__exit__(None, None, None)
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


def test_requests_uses_urllib3_itself():
    """niquests installs a file that replaces urllib3 when Python starts; the environment has removed it."""
    assert urllib3.__version__ == version("urllib3")


def test_the_limit_of_open_files_is_raised_for_a_case_and_for_its_server():
    """A thousand connections need more files than many systems allow at first; afterwards the limit is what it was."""
    before = getrlimit(RLIMIT_NOFILE)
    script = "from resource import *; print(getrlimit(RLIMIT_NOFILE)[0])"
    try:
        setrlimit(RLIMIT_NOFILE, (1_000, before[1]))
        with allow_open_files(1_100):
            inherited = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert (int(inherited.stdout), getrlimit(RLIMIT_NOFILE)[0]) == (1_100, 1_000)
    finally:
        setrlimit(RLIMIT_NOFILE, before)


def test_a_hard_limit_of_open_files_is_a_reason_with_what_to_do():
    """A case that needs more files than the system allows is skipped, and nothing has been opened."""
    hard = getrlimit(RLIMIT_NOFILE)[1]
    if hard == RLIM_INFINITY:
        pytest.skip("this system has no hard limit")
    with pytest.raises(UnavailableError, match=f"hard limit of this process is {hard}: raise it with"):
        allow_open_files(hard + 1).__enter__()


def test_a_descriptor_above_those_of_select_is_waited_for():
    """A server starts also while another case has a thousand connections open."""
    read, write = os.pipe()
    try:
        with allow_open_files(2_000):
            high = fcntl.fcntl(read, fcntl.F_DUPFD, 1_500)
            try:
                assert not is_readable(high, 0)
                os.write(write, b".")
                assert is_readable(high, 10)
            finally:
                os.close(high)
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.parametrize(("keep", "left"), [(None, 5), (2, 2)])
def test_httpx_keeps_as_many_idle_connections_as_asked(keep, left):
    """After five requests at once."""

    async def connections_left(origin):
        async with httpx_async_client(origin, http2=False, keep=keep) as get:
            await asyncio.gather(*(get(origin.url("0.1")) for _ in range(5)))
            return sum(
                connection.status == psutil.CONN_ESTABLISHED and connection.raddr.port == origin.server.port
                for connection in psutil.Process().net_connections("tcp")
            )

    with tls_server(5) as origin:
        assert asyncio.run(connections_left(origin)) == left

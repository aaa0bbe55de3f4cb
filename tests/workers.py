"""`pytest -n 5`: five workers run the tests, as forks of the process that has collected them.

The workers of pytest-xdist are processes of their own, each of which imports and collects all tests anew. A worker runs
one file of tests after another, and its session's fixtures live until it ends. If it dies, the test that it was running
fails.
"""

import atexit
import io
import os
import signal
import threading
import traceback
from multiprocessing import Pipe, connection, util

import pytest
from _pytest.reports import TestReport

NUMBER = 2
"""Bytes of the number of a file in the queue. All numbers fit into its pipe, from which each read takes one."""


def pytest_addoption(parser):
    parser.getgroup("workers")._addoption("-n", dest="workers", type=int, default=0, help="run the tests in N workers")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Run the tests in workers, and report what they send as if it came from this process."""
    option = session.config.option
    if not option.workers or option.collectonly or session.testsfailed:
        return None
    files = {}
    for item in session.items:
        files.setdefault(item.path, []).append(item)
    queue, filling = os.pipe()
    os.write(filling, b"".join(number.to_bytes(NUMBER, "big") for number in range(len(files))))
    os.close(filling)
    session.config.pluginmanager.getplugin("terminalreporter").showfspath = False
    workers = dict(start(session, list(files.values()), queue, number) for number in range(option.workers))
    os.close(queue)
    running = {}
    try:
        while workers:
            for reader in connection.wait(workers):
                receive(session, reader, workers, running)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
    finally:
        for pid in workers.values():
            os.kill(pid, signal.SIGTERM)
    return True


def start(session, files, queue, number):
    """Fork a worker; return where it sends its reports, and its process."""
    reader, writer = Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        work(session, files, queue, writer, f"worker{number}")
    writer.close()
    return reader, pid


def receive(session, reader, workers, running):
    """Report what a worker sends; where it has died, the test that it was running has failed."""
    hooks = session.config.hook
    try:
        name, about = reader.recv()
    except EOFError:
        ended = os.waitstatus_to_exitcode(os.waitpid(workers.pop(reader), 0)[1])
        if ended or reader in running:
            path, line, test = running.pop(reader, ("no test", 0, "between two tests"))
            text = f"the worker ended with {ended} in this test; other tests of the file did not run"
            death = TestReport(f"{path}::{test}", (path, line, test), {}, "failed", text, "call")
            hooks.pytest_runtest_logreport(report=death)
        return
    if name == "pytest_runtest_logreport":
        about = {"report": hooks.pytest_report_from_serializable(config=session.config, data=about)}
    elif name == "pytest_runtest_logstart":
        running[reader] = about["location"]
    else:
        del running[reader]
    getattr(hooks, name)(**about)


class Sender:
    """Sends what a worker does to the process that reports it."""

    def __init__(self, config, send):
        self._config, self._send = config, send

    def pytest_runtest_logstart(self, nodeid, location):
        self._send(("pytest_runtest_logstart", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logreport(self, report):
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._send(("pytest_runtest_logreport", data))

    def pytest_runtest_logfinish(self, nodeid, location):
        self._send(("pytest_runtest_logfinish", {"nodeid": nodeid, "location": location}))


def work(session, files, queue, writer, name):
    """Run files of tests until none is left, and end this process."""
    code = 1
    try:
        atexit._clear()  # what the parent does at its end
        atexit.register(util._exit_function)
        become_worker(session.config, name)
        session.config.pluginmanager.register(Sender(session.config, writer.send))
        numbers = iter(lambda: os.read(queue, NUMBER), b"")
        items = (item for number in numbers for item in files[int.from_bytes(number, "big")])
        item = next(items, None)
        while item:
            following = next(items, None)  # what it does not use is torn down after the test
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            item = following
        code = 0
    except BaseException:  # noqa: BLE001 - as at the top of a process
        traceback.print_exc()
    finally:
        threading._shutdown()
        atexit._run_exitfuncs()
        os._exit(code)


def become_worker(config, name):
    """Give a fork its own folder and its own capture of output, and let it print nothing."""
    factory = config._tmp_path_factory
    factory._basetemp = factory.getbasetemp() / name
    factory._basetemp.mkdir(mode=0o700)
    config.pluginmanager.getplugin("terminalreporter")._tw._file = io.StringIO()
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()

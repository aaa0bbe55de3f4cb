"""Engines for tests: forks of one process that has imported what every engine imports.

Each is a process of its own, with its own session, folder, variables and log; only the import of asv is shared, which
takes more CPU than most of what the tests ask of an engine. Commands that tests start as processes start their engines
as users do.
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path

MAX_CHUNK = 1 << 16
STREAMS = 4
"""Descriptors of a request: stdin, stdout and stderr of the engine, and where its process and its end are told."""


@contextmanager
def forked_engines():
    """A function that starts engines as ``engine_session.start_process`` does."""
    from windtunnel.asv.engine_session import engine_environment

    channel, theirs = socket.socketpair()
    command, descriptor = [sys.executable, "-P", __file__], theirs.fileno()
    server = subprocess.Popen(
        [*command, str(descriptor)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=engine_environment(os.environ),
        start_new_session=True,
        pass_fds=[descriptor],
    )
    theirs.close()
    turn = threading.Lock()

    def start(env, log):
        request = json.dumps([str(Path.cwd()), engine_environment(env)]).encode() + b"\n"
        (stdin, writing), (reading, stdout), (told, status) = os.pipe(), os.pipe(), os.pipe()
        with turn:
            socket.send_fds(channel, [request], [stdin, stdout, log.fileno(), status])
            engine = ForkedEngine(writing, reading, told)
        for each in (stdin, stdout, status):
            os.close(each)
        return engine

    try:
        yield start
    finally:
        channel.shutdown(socket.SHUT_RDWR)
        channel.close()
        server.wait(60)


class ForkedEngine:
    """What `engine_session` uses of `subprocess.Popen`."""

    def __init__(self, stdin, stdout, told):
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self._told = os.fdopen(told, "rb", buffering=0)
        self.pid = int(self._told.readline())
        self.returncode = None

    def wait(self, timeout=None):
        """Return how the engine ended; raises TimeoutExpired while it runs."""
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("engine", timeout)
            with self._told:
                self.returncode = int(self._told.readline())
        return self.returncode


def serve(channel):
    """Fork an engine for each request, and a process that waits for it, until the tests have ended."""
    from windtunnel.asv import start_engine

    start_engine.load_asv()
    from windtunnel.asv import engine

    gc.collect()
    gc.freeze()  # a collection in a fork would copy the memory of all that is imported
    signal.signal(signal.SIGCHLD, reap)  # tests that list processes find none that has ended
    while True:
        request, streams, _, _ = socket.recv_fds(channel, MAX_CHUNK, STREAMS)
        while request and not request.endswith(b"\n"):
            request += channel.recv(MAX_CHUNK)
        if not request:
            return
        if not os.fork():
            channel.close()
            watch(engine.main, *json.loads(request), *streams)
        for each in streams:
            os.close(each)


def reap(*_):
    """Wait for the children that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def watch(main, folder, variables, *streams):
    """Start the engine *main*, and tell how it ended."""
    *_, status = streams
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        pid = os.fork()
        if not pid:
            be_engine(main, folder, variables, streams)
        for each in streams[:-1]:
            os.close(each)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(BrokenPipeError):  # the tests have ended
            os.write(status, b"%d\n" % code)
    finally:
        os._exit(0)


def be_engine(main, folder, variables, streams):
    """Tell the number of this process, execute the request on stdin and end, as a Python that was started for it."""
    code = 1
    try:
        os.setsid()
        *streams, status = streams
        os.write(status, b"%d\n" % os.getpid())
        os.close(status)
        for descriptor, each in enumerate(streams):
            os.dup2(each, descriptor)
            os.close(each)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        code = main()
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - as at the top of a process
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as given:
        serve(given)

"""Engines and processes of benchmarks for tests: forks of one process that has imported what each of them imports.

Each is a process of its own, with its own session, folder, variables and output; only the imports are shared, which
take more CPU than most of what the tests ask for. Commands that tests start as processes start their engines as users
do. This file is started with the Python of an environment too: it imports the standard library alone.
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
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

MAX_CHUNK = 1 << 16
STREAMS = 4
"""Descriptors of a request: stdin, stdout and stderr of the process, and where its number and its end are told."""


@contextmanager
def forked_engines():
    """A function that starts engines as ``engine_session.start_process`` does."""
    from windtunnel.asv.engine_session import engine_environment

    with forks_of(sys.executable, engine_environment(os.environ)) as fork:

        def start(env, log):
            (stdin, writing), (reading, stdout) = os.pipe(), os.pipe()
            engine = fork((), engine_environment(env), (stdin, stdout, log.fileno()))
            os.close(stdin)
            os.close(stdout)
            engine.stdin, engine.stdout = os.fdopen(writing, "wb"), os.fdopen(reading, "rb")
            return engine

        yield start


@contextmanager
def forks_of(python, env, script=""):
    """A function that forks a process of *python* that is an engine, or runs *script* with the arguments it gets."""
    channel, theirs = socket.socketpair()
    descriptor = theirs.fileno()
    server = subprocess.Popen(
        [python, "-P", __file__, str(descriptor), script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=env,
        start_new_session=True,
        pass_fds=[descriptor],
    )
    theirs.close()
    turn = threading.Lock()

    def fork(arguments, variables, streams, folder=None):
        request = json.dumps([list(arguments), str(folder or Path.cwd()), variables]).encode() + b"\n"
        told, status = os.pipe()
        with turn:
            socket.send_fds(channel, [request], [*streams, status])
            os.close(status)
            return ForkedProcess(told)

    try:
        yield fork
    finally:
        channel.shutdown(socket.SHUT_RDWR)
        channel.close()
        server.wait(60)


class ForkedProcess:
    """What is used of `subprocess.Popen`."""

    def __init__(self, told):
        self._told = os.fdopen(told, "rb", buffering=0)
        self.pid = int(self._told.readline())
        self.returncode = None

    def wait(self, timeout=None):
        """Return how the process ended; raises TimeoutExpired while it runs."""
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("process", timeout)
            with self._told:
                self.returncode = int(self._told.readline())
        return self.returncode


def load_engine():
    """Import what every engine imports; return its main function."""
    from windtunnel.asv import start_engine

    start_engine.load_asv()
    from windtunnel.asv import engine

    return engine.main


def load_script(path):
    """Import a script with what it imports; return its main function."""
    spec = spec_from_file_location("script", path)
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    return script.main


def serve(channel, main):
    """Fork a process for each request that calls *main*, and one that waits for it, until the tests have ended."""
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
            watch(main, *json.loads(request), *streams)
        for each in streams:
            os.close(each)


def reap(*_):
    """Wait for the children that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def watch(main, arguments, folder, variables, *streams):
    """Start the process that calls *main*, and tell how it ended."""
    *_, status = streams
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        pid = os.fork()
        if not pid:
            become(main, arguments, folder, variables, streams)
        for each in streams[:-1]:
            os.close(each)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(BrokenPipeError):  # the tests have ended
            os.write(status, b"%d\n" % code)
    finally:
        os._exit(0)


def become(main, arguments, folder, variables, streams):
    """Tell the number of this process, call *main* and end, as a Python that was started for it."""
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
        sys.argv[1:] = arguments
        code = main()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as at the top of a process
        traceback.print_exc()
    finally:
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as given:
        serve(given, load_script(sys.argv[2]) if sys.argv[2] else load_engine())

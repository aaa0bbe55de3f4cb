"""The process that drives asv: reads a request from stdin, executes it and writes events to stdout.

asv's own output goes to stderr. At the end of stdin the engine interrupts
itself: the supervisor has ended.
"""

import contextlib
import io
import logging
import os
import queue
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from asv.console import log

from windtunnel.asv import block_engine, discovery, measure, paired_engine, protocol, suite
from windtunnel.asv.counted_rows import count_rows
from windtunnel.asv.engine_session import kill_session
from windtunnel.asv.reach import map_measured
from windtunnel.errors import DataError, ExitCode
from windtunnel.text.escaping import cut

MAX_INTERRUPTS = 5
"""Interrupts after the end of stdin, before the engine kills what it started and ends."""

INTERRUPT_INTERVAL = 2.0
"""Seconds between two of them: enough to kill a benchmark and to remove temporary folders."""


def main() -> int:
    """Execute the requests on stdin; return 0 when it succeeded or a ``Broken`` event reports why not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs with SIGINT ignored
    requests, events = _private_channels()
    try:
        request = protocol.parse_request(requests.readline())
    except DataError as error:
        sys.stderr.write(f"windtunnel.asv.engine: {error}; the commands of windtunnel start the engine\n")
        return error.exit_code
    further: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(requests, further), daemon=True).start()
    log.enable(verbose=False)

    def emit(event: protocol.Event) -> None:
        events.write(protocol.to_line(event))

    logging.getLogger().addHandler(StepReporter(emit))
    try:
        with contextlib.ExitStack() as stack:
            _serve(request, further, emit, stack)
    except suite.CannotContinueError as error:
        emit(protocol.Broken(step=error.step, reason=error.reason))
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    finally:
        kill_session(os.getpid())  # also when the supervisor was killed and cannot do it
    return ExitCode.FINE


def _serve(
    request: protocol.Request, further: "queue.SimpleQueue[bytes]", emit: protocol.Emit, stack: contextlib.ExitStack
) -> None:
    """Execute *request* and those that follow, until the end of stdin interrupts the wait for one.

    *stack* ends what a preparation has begun.
    """
    follow: Callable[[protocol.FurtherRequest], None] | None = None
    while True:
        match request:
            case protocol.Describe():
                suite.describe(request, emit)
            case protocol.Discover():
                discovery.discover(request, emit)
            case protocol.BuildCommit():
                suite.build(request, emit)
            case protocol.Measure():
                measure.measure(request, emit, count_rows, map_measured)
            case protocol.PrepareComparison():
                follow = paired_engine.prepare(request, emit, stack)
            case protocol.PrepareBlocks():
                follow = block_engine.prepare(request, emit, stack)
            case _ if follow:
                follow(request)
            case _:
                name = type(request).__name__
                raise suite.CannotContinueError("request", f"nothing is built: {name} must follow a preparation")
        emit(protocol.Done())
        request = protocol.parse_request(further.get())


class StepReporter(logging.Handler):
    """Emits the steps that asv logs before it creates an environment, installs or builds."""

    STEP = re.compile(r"(Creating|Installing|Building) ")
    LONGEST = 110
    """Characters of a step: asv's name of an environment has all its requirements."""

    def __init__(self, emit: protocol.Emit) -> None:
        """Report to *emit*."""
        super().__init__(level=logging.INFO)
        self._emit = emit

    def emit(self, record: logging.LogRecord) -> None:
        """Emit the step in *record*, if it is one."""
        if record.levelno == logging.INFO and self.STEP.match(text := record.getMessage().strip()):
            self._emit(protocol.Working(text=cut(text, self.LONGEST)))


def _private_channels() -> tuple[io.BufferedReader, io.FileIO]:
    """Return private copies of stdin and stdout, so that asv and benchmarks can neither read nor print messages."""
    requests = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    events = io.FileIO(os.dup(sys.stdout.fileno()), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return requests, events


def _read_requests(requests: io.BufferedReader, further: "queue.SimpleQueue[bytes]") -> None:
    """Queue further requests; at the end of stdin, interrupt the main thread, which may wait for a benchmark.

    asv treats an interrupt of a command that it runs as a failure of the command, and goes on: interrupt again.
    """
    for line in requests:
        further.put(line)
    for _ in range(MAX_INTERRUPTS):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(INTERRUPT_INTERVAL)
    kill_session(os.getpid())
    os._exit(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())

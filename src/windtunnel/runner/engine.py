"""The process that drives asv: reads one request from stdin, carries it out and tells what happens as events.

asv's own output goes to stderr. When stdin ends, the supervisor is gone and the engine interrupts itself.
"""

import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from asv.console import log

from windtunnel.errors import ExitCode
from windtunnel.runner import measuring
from windtunnel.runner.protocol import Broken, Describe, Discover, Event, Measure, request_from, to_line

Emit = Callable[[Event], None]


def main() -> int:
    """Carry out the request on stdin; 0 when it was carried out or its failure was told."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit it ignored
    requests, events = _private_channels()
    request = request_from(requests.readline())
    threading.Thread(target=_interrupt_at_end, args=(requests,), daemon=True).start()
    log.enable(verbose=False)

    def emit(event: Event) -> None:
        events.write(to_line(event))

    try:
        match request:
            case Describe():
                measuring.describe(request, emit)
            case Discover():
                measuring.discover(request, emit)
            case Measure():
                measuring.measure(request, emit)
            case _:
                assert_never(request)
    except measuring.CannotContinueError as error:
        emit(Broken(step=error.step, reason=error.reason))
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return ExitCode.FINE


def _private_channels() -> tuple[io.FileIO, io.FileIO]:
    """Take stdin and stdout away from asv, its plugins and benchmarks: none may read a request or print an event."""
    requests = io.FileIO(os.dup(sys.stdin.fileno()), "rb")
    events = io.FileIO(os.dup(sys.stdout.fileno()), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return requests, events


def _interrupt_at_end(requests: io.FileIO) -> None:
    while requests.read(4096):
        pass
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # wakes it out of waiting for a benchmark


if __name__ == "__main__":
    sys.exit(main())

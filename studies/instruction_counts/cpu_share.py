"""Prints which share of the time of a case its own thread computes: python cpu_share.py SUITE CASE."""

import sys
import tempfile
import time
from pathlib import Path

SECONDS = 0.05
"""Calls are made for so long."""


def busy_seconds():
    """The time that this thread computed or waited for a processor: other programs do not change the share."""
    computed, waited, _ = Path("/proc/thread-self/schedstat").read_text().split()
    return (int(computed) + int(waited)) / 1e9


def main(suite, name):
    """Open the case, call it once, then for some time."""
    sys.path[0] = str(next(iter(Path(__file__).parents[2].glob("src/windtunnel/asv"))))
    import open_case

    report = open_case.begin()
    case = open_case.TimedCase({"name": name, "attributes": {}, "cache": None}, tempfile.mkdtemp())
    case.enter()
    case.find(suite)
    if case.refusal() or case.open():
        report(share=0.0)
        return
    case.run(1)
    begin, busy = time.perf_counter(), busy_seconds()
    while time.perf_counter() - begin < SECONDS:
        case.renew()
        case.run(1)
    share = (busy_seconds() - busy) / (time.perf_counter() - begin)
    case.close()
    report(share=share)


main(*sys.argv[1:])

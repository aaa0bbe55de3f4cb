"""Compares the latencies that hey and the suite's load generator measure behind ``async def`` and ``def``.

    make study ARGS="studies.latency_witness --rounds 3 --bound 100000"              print a first impression

On Debian: ``apt install hey``. In each round both generators measure both endpoints on both loops, in random order,
against the same two server processes. Generators and servers have processors of their own, as in the suite. Use an idle
machine. ``--save`` keeps all latencies, and ``--read`` renders what was saved.
"""

import argparse
import csv
import io
import json
import os
import platform
import random
import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from shutil import which
from statistics import fmean
from time import perf_counter, sleep

from studies.latency_agreement import BOUNDARIES, Round, render
from windtunnel_scenarios.support.cpu_affinity import separate_processors
from windtunnel_scenarios.support.load_generator import Requests, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.servers import running_server

SERVER = "windtunnel_scenarios.programs.fastapi_server"
LOOPS = ("asyncio", "uvloop")
ENDPOINTS = ("async_def", "plain_def")
PAUSE = 0.05
"""Seconds in which a server notices that its connections are closed."""


def main():
    """Measure or read, and print the page's part or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=36)
    parser.add_argument("--bound", type=int, default=400_000, help="the server sums the numbers below it")
    parser.add_argument("--count", type=int, default=100, help="requests of a generator in a round")
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the random order")
    parser.add_argument("--save", type=Path, metavar="FILE", help="where to keep all latencies, as JSON")
    parser.add_argument("--read", type=Path, metavar="FILE", help="render what --save kept, and measure nothing")
    options = parser.parse_args()
    if options.read:
        saved = json.loads(options.read.read_text(encoding="utf-8"))
    elif which("hey"):
        saved = measure(options)
    else:
        sys.exit("hey is not installed; on Debian: apt install hey")
    if options.save:
        options.save.write_text(json.dumps(saved), encoding="utf-8")
    rounds = {tuple(case.split()): [Round(**each) for each in found] for case, found in saved["rounds"].items()}
    sys.stdout.write(f"{saved['setting']}\n\n{render(rounds)}" + "\n")


def measure(options):
    """Returns what was measured: a sentence about the setting, and the rounds of each case."""
    generator = random.Random(options.seed)
    begin, load_before, rounds = perf_counter(), os.getloadavg()[0], {}
    with ExitStack() as stack:
        loop = stack.enter_context(event_loop())
        servers = {name: stack.enter_context(separate_processors(running_server(SERVER, name))) for name in LOOPS}
        cases = {}
        for (name, server), endpoint in product(servers.items(), ENDPOINTS):
            path = f"/{endpoint}/{options.bound}"
            cases[f"hey {name} {endpoint}"] = partial(hey, f"http://127.0.0.1:{server.port}{path}", options)
            requests = Requests(path=path, count=options.count, connections=options.connections, reconnect=True)
            run = stack.enter_context(load_generator(loop, server.port, requests))
            cases[f"ours {name} {endpoint}"] = partial(ours, run)
        for once in cases.values():
            once()  # starts the threads behind def
        for number in range(options.rounds):
            order = generator.sample(sorted(cases), len(cases))
            for case in order:
                sleep(PAUSE)
                rounds.setdefault(case, []).append(cases[case]())
            sys.stderr.write(f"round {number + 1} of {options.rounds}, {perf_counter() - begin:.0f} s\n")
    minutes = (perf_counter() - begin) / 60
    return {"setting": setting(options, minutes, load_before, rounds), "rounds": rounds}


def hey(url, options):
    """Returns a round of hey; its latencies are rounded to 0.1 ms."""
    command = ["hey", "-n", str(options.count), "-c", str(options.connections), "-o", "csv", url]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return parse_hey(output, options.count)


def parse_hey(output, count):
    """Returns the round in hey's table of requests."""
    rows = list(csv.DictReader(io.StringIO(output)))
    if len(rows) != count or {row["status-code"] for row in rows} != {"200"}:
        sys.exit(f"hey answered {len(rows)} of {count} requests, not all with 200:\n{output}")
    spans = [(float(row["offset"]), float(row["response-time"])) for row in rows]
    seconds = max(offset + latency for offset, latency in spans) - min(offset for offset, _ in spans)
    return {"latencies": [latency for _, latency in spans], "seconds": seconds}


def ours(run):
    """Returns a round of the suite's load generator."""
    begin = perf_counter()
    run()
    return {"latencies": list(run.recorded["latency"]), "seconds": perf_counter() - begin}


def setting(options, minutes, load_before, rounds):
    """Returns a sentence that says what was measured, where and when."""
    service = fmean(each["seconds"] for found in rounds.values() for each in found) / options.count
    return (
        f"{options.rounds} rounds on {datetime.now(UTC):%Y-%m-%d}: {options.count} requests over {options.connections} "
        f"new connections, each for the sum of the numbers below {options.bound:,} (about {service * 1000:.0f} ms); "
        f"CPython {platform.python_version()}, {os.cpu_count()} cores, load average before {load_before:.1f}, "
        f"{minutes:.0f} minutes. A round starves if its slowest request takes over {BOUNDARIES[1]} times its median."
    )


if __name__ == "__main__":
    main()

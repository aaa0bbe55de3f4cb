"""Compares the suite's load generator with ab, hey and wrk: requests per second of each from the same server.

    make study ARGS="studies.witness"                                  with those that are installed

On Debian: ``apt install apache2-utils hey wrk``. Each generator uses 20 connections and runs once in every round; each
round begins with another generator. The result is the ratio of the medians. Use an idle machine.
"""

import argparse
import re
import subprocess
import sys
from shutil import which
from statistics import median
from time import perf_counter

from windtunnel_scenarios.support.load_generator import Requests, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.selector_load import selector_load
from windtunnel_scenarios.support.servers import running_server
from windtunnel_scenarios.web_service import APP_SERVER, CONNECTIONS, MARS

PLANET = ("windtunnel_scenarios.programs.planet_server", "/Mars", MARS)
APP = (APP_SERVER, "/0", "0")
SERVERS = {
    "aiohttp, connections kept": (*PLANET, ("aiohttp", "0"), True),
    "Flask, a new connection for each request": (*PLANET, ("flask", "0"), False),
    "uvicorn on uvloop, connections kept": (*APP, ("uvicorn", "uvloop"), True),
    "uvicorn on uvloop, a new connection for each request": (*APP, ("uvicorn", "uvloop"), False),
    "uvicorn[standard], connections kept": (*APP, ("uvicorn", "uvloop", "httptools"), True),
    "uvicorn[standard], a new connection for each request": (*APP, ("uvicorn", "uvloop", "httptools"), False),
    "granian on uvloop, connections kept": (*APP, ("granian", "uvloop"), True),
    "granian on uvloop, a new connection for each request": (*APP, ("granian", "uvloop"), False),
}
"""The program, the path, the answer, the program's arguments, and whether connections are kept."""
SECONDS = 3


def ab(url, count, *, keep):
    """ApacheBench."""
    return ["ab", "-q", "-l", *(["-k"] if keep else []), "-c", str(CONNECTIONS), "-n", str(count), url]


def hey(url, count, *, keep):
    """A generator in Go."""
    return ["hey", *([] if keep else ["-disable-keepalive"]), "-c", str(CONNECTIONS), "-n", str(count), url]


def wrk(url, _, *, keep):
    """A generator in C, which takes a duration instead of a number of requests."""
    closing = [] if keep else ["-H", "Connection: close"]
    return ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", *closing, url]


WITNESSES = (ab, hey, wrk)
RATE = re.compile(r"Requests(?: per second|/sec):\s+([\d.]+)")


def main():
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=6000, help="requests a turn")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    present = [witness for witness in WITNESSES if which(witness.__name__)]
    if not present:
        sys.exit("none of ab, hey and wrk is installed; on Debian: apt install apache2-utils hey wrk")
    lines = [
        f"| server | ours | {' | '.join(f'`{each.__name__}`' for each in present)} |",
        f"|---|---|{'---|' * len(present)}",
    ]
    for name, server in SERVERS.items():
        ours, *others = rates(*server, witnesses=present, options=options)
        cells = [f"{ours:,.0f} requests a second", *(f"{ours / other:.2f} of {other:,.0f}" for other in others)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    sys.stdout.write("\n".join(lines) + "\n")


def rates(program, path, answer, arguments, keep, *, witnesses, options):
    """Returns the median requests per second of the generator of the server's scenario, then those of the others."""
    with running_server(program, *arguments) as server, event_loop() as loop:
        url = f"http://127.0.0.1:{server.port}{path}"
        requests = Requests(path=path, count=options.count, connections=CONNECTIONS, keep_alive=keep)
        ours = selector_load(server.port, requests) if program == APP_SERVER else None
        with ours or load_generator(loop, server.port, requests) as run:
            turns = [
                lambda: our_rate(run, answer),
                *(lambda each=each: rate(each(url, options.count, keep=keep)) for each in witnesses),
            ]
            found = [[] for _ in turns]
            for number in range(options.rounds):
                for place in range(len(turns)):
                    which_one = (place + number) % len(turns)
                    found[which_one].append(turns[which_one]())
    return [median(values) for values in found]


def our_rate(run, answer):
    """Returns the requests per second of our generator."""
    begin = perf_counter()
    answers = run()
    seconds = perf_counter() - begin
    assert set(answers) == {answer}
    return len(answers) / seconds


def rate(command):
    """Returns the requests per second that another generator reports."""
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = RATE.search(output)
    if not found:
        sys.exit(f"{' '.join(command)} reported no rate:\n{output}")
    return float(found[1])


if __name__ == "__main__":
    main()

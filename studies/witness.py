"""Our load generator beside those that others use: requests a second that each gets from the same server, in turns.

    make study ARGS="studies.witness"                                  with those that are installed
    make study ARGS="studies.witness --into docs/explanation/method.md"            to commit it

On Debian: ``apt install apache2-utils hey wrk``. Each of them and our own asks over 20 connections, in every round
once, each round beginning with another; what counts is the ratio of the medians. Let the machine do nothing else.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from statistics import median
from time import perf_counter

from studies.page import put_or_print
from windtunnel_scenarios.support.load_generator import Requests, load_generator
from windtunnel_scenarios.support.loops import event_loop
from windtunnel_scenarios.support.servers import running_server
from windtunnel_scenarios.web_service import CONNECTIONS, MARS

SERVERS = {
    "aiohttp, connections kept": ("aiohttp", True),
    "Flask, a new connection for each request": ("flask", False),
}
PATH = "/Mars"
SECONDS = 3


def ab(url, count, *, keep):
    """ApacheBench."""
    return ["ab", "-q", "-l", *(["-k"] if keep else []), "-c", str(CONNECTIONS), "-n", str(count), url]


def hey(url, count, *, keep):
    """A generator in Go."""
    return ["hey", *([] if keep else ["-disable-keepalive"]), "-c", str(CONNECTIONS), "-n", str(count), url]


def wrk(url, _, *, keep):
    """A generator in C, which asks for so long instead of so often."""
    closing = [] if keep else ["-H", "Connection: close"]
    return ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", *closing, url]


WITNESSES = (ab, hey, wrk)
RATE = re.compile(r"Requests(?: per second|/sec):\s+([\d.]+)")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=6000, help="requests a turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--into", type=Path, metavar="FILE", help="the document to write it into")
    asked = parser.parse_args()
    present = [witness for witness in WITNESSES if which(witness.__name__)]
    if not present:
        sys.exit("none of ab, hey and wrk is here; on Debian: apt install apache2-utils hey wrk")
    lines = [
        f"| server | ours | {' | '.join(f'`{each.__name__}`' for each in present)} |",
        f"|---|---|{'---|' * len(present)}",
    ]
    for name, (framework, keep) in SERVERS.items():
        ours, *others = rates(framework, present, asked, keep=keep)
        cells = [f"{ours:,.0f} requests a second", *(f"{ours / other:.2f} of {other:,.0f}" for other in others)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    put_or_print(asked.into, "witness", "\n".join(lines))


def rates(framework, witnesses, asked, *, keep):
    """Requests a second: the median of ours, then those of the witnesses."""
    program = "windtunnel_scenarios.programs.planet_server"
    with running_server(program, framework, "0") as server, event_loop() as loop:
        url = f"http://127.0.0.1:{server.port}{PATH}"
        requests = Requests(path=PATH, count=asked.count, connections=CONNECTIONS, keep_alive=keep)
        with load_generator(loop, server.port, requests) as run:
            turns = [
                lambda: our_rate(run),
                *(lambda each=each: rate(each(url, asked.count, keep=keep)) for each in witnesses),
            ]
            found = [[] for _ in turns]
            for number in range(asked.rounds):
                for place in range(len(turns)):
                    which_one = (place + number) % len(turns)
                    found[which_one].append(turns[which_one]())
    return [median(values) for values in found]


def our_rate(run):
    """Requests a second of our own."""
    begin = perf_counter()
    answers = run()
    seconds = perf_counter() - begin
    assert set(answers) == {MARS}
    return len(answers) / seconds


def rate(command):
    """Requests a second that a witness tells."""
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    told = RATE.search(said)
    if not told:
        sys.exit(f"{' '.join(command)} told no rate:\n{said}")
    return float(told[1])


if __name__ == "__main__":
    main()

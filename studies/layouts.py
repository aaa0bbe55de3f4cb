"""How much does the order of functions in memory change times? Builds msgspec in other layouts, and times them.

    make study ARGS="studies.layouts FOLDER"                                            print the table
    make study ARGS="studies.layouts FOLDER --into docs/explanation/instruction-counts.md"    write it into the page

FOLDER keeps the environments. Needs gcc or clang, and headers of Python. About four minutes of processor time.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import venv
from pathlib import Path

from studies.page import put_or_print
from windtunnel.compare.relinking import LAYOUTS, Layout

PACKAGE = "msgspec==0.20.0"
BASE = Layout(name="as the compiler orders them", compiler="")
BUILDS = (BASE, BASE, *LAYOUTS)

PROGRAM = """
import gc, json, time, msgspec
class Point(msgspec.Struct):
    number: int
    name: str
    share: float
    values: list[int]
    note: str | None = None
points = [Point(1, "hello", 2.5, [1, 2, 3])] * 20
as_json, as_msgpack = msgspec.json.encode(points), msgspec.msgpack.encode(points)
from_json, from_msgpack = msgspec.json.Decoder(list[Point]).decode, msgspec.msgpack.Decoder(list[Point]).decode
strings, floats = ["text %d" % n for n in range(50)], [n * 1.37 for n in range(100)]
string_json, float_json = msgspec.json.encode(strings), msgspec.json.encode(floats)
plain = msgspec.json.Decoder().decode
calls = {
    "encode JSON": lambda: msgspec.json.encode(points),
    "decode JSON": lambda: from_json(as_json),
    "encode MessagePack": lambda: msgspec.msgpack.encode(points),
    "decode MessagePack": lambda: from_msgpack(as_msgpack),
    "decode strings": lambda: plain(string_json),
    "decode floats": lambda: plain(float_json),
    "to_builtins": lambda: msgspec.to_builtins(points),
    "compare structs": lambda: points[0] == points[0],
}
gc.disable()
def seconds(call, times):
    start = time.thread_time_ns()
    for _ in range(times):
        call()
    return (time.thread_time_ns() - start) / times / 1e9
found = {}
for name, call in calls.items():
    times = 1
    while seconds(call, times) * times < 2e-3:
        times *= 2
    found[name] = min(seconds(call, times) for _ in range(15))
print(json.dumps(found))
"""


def main():
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=16, help="processes of each build")
    parser.add_argument("--into", type=Path, metavar="FILE", help="the page to write the table into")
    options = parser.parse_args()
    pythons = [built(options.folder.resolve() / f"layout-{BUILDS.index(layout)}", layout) for layout in BUILDS]
    rounds = []
    for number in range(options.rounds):
        times = [None] * len(BUILDS)
        padding = "x" * random.Random(number).randrange(4096)
        env = {**os.environ, "PYTHONHASHSEED": str(number), "PADDING": padding}
        for build in random.Random(number).sample(range(len(BUILDS)), len(BUILDS)):
            output = subprocess.run([pythons[build], "-c", PROGRAM], env=env, check=True, capture_output=True).stdout
            times[build] = json.loads(output)
        rounds.append(times)
        sys.stderr.write(f"round {number + 1} of {options.rounds}\n")
    put_or_print(options.into, "layouts", table(rounds))


def built(folder, layout):
    """Returns the Python of an environment with the package; it is created once."""
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        command = [python, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-binary", "msgspec", PACKAGE]
        subprocess.run(command, env=layout.variables(os.environ), check=True)
    return python


def table(rounds):
    """Returns the table in Markdown: medians of the ratio to the first build of the same round, and their error."""
    header = ["call", "the same build again", *(layout.name for layout in LAYOUTS)]
    rows = [header, ["---"] * len(header)]
    for call in rounds[0][0]:
        rows.append([call])
        for build in range(1, len(BUILDS)):
            ratios = [times[build][call] / times[0][call] - 1 for times in rounds]
            middle = statistics.median(ratios)
            spread = 1.4826 * statistics.median(abs(one - middle) for one in ratios)
            rows[-1].append(f"{middle:+.1%} ± {2 * 1.2533 * spread / len(ratios) ** 0.5:.1%}")
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()

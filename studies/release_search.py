"""Names the releases that made a step between two days: counts a case with one release more at a time.

Between the two days, the libraries that a case needs, and what those need, are resolved at each moment at which one of
them had a release: a commit for each. The first and the last are counted, then the one in the middle, and so on in each
half that differs. So all else is equal on both sides of a release. What moved and moved back within a half is not seen.

    make study ARGS="studies.release_search aiohttp --case 'HttpInTurn aiohttp' --case 'ServerRequests aiohttp' \\
      --since 2024-08-01 --until 2024-11-01 --python 3.11 --base c2308246 --count .asv/releases"

A line for each release that is found: case, Python, day, release, change, and the counts before and after.
"""

import argparse
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

from .snapshot_counts import SEEN, change, counting_tasks, plan_counts, read_counts, run_task, tree
from .time_machine import (
    INSTRUMENTS,
    PROJECT,
    Day,
    Snapshot,
    add_instruments,
    commit,
    compile_requirements,
    git,
    moment,
    project_libraries,
    say,
)

BRANCH = "releases"
"""The branch of the search; each search writes it anew."""


@dataclass(frozen=True, slots=True)
class State:
    """Libraries between two releases."""

    since: str
    """When the newest of them was published."""
    versions: Mapping[str, str]
    requirements: str
    """Requirements with hashes."""


Count = tuple[float, ...] | None
"""Instructions with each hash seed; None if the case cannot be counted."""


def main() -> int:
    """Search, and print a line for each release."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("library", nargs="+", help="what the cases need")
    option("--case", action="append", required=True, help="suite and variant; the load is quick; may be repeated")
    option("--since", required=True, metavar="YYYY-MM-DD", help="the day before the step")
    option("--until", required=True, metavar="YYYY-MM-DD", help="the day with it")
    option("--python", required=True, metavar="3.NN", help="the Python")
    option("--count", required=True, type=Path, metavar="FOLDER", help="keep counts here; what it has is taken")
    option("--base", default="HEAD", metavar="REV", help="the commit whose tree all commits have (default: HEAD)")
    option("--least", default=SEEN, type=float, metavar="SHARE", help=f"the least change (default: {SEEN})")
    option("--rounds", default=1, type=int, metavar="N", help="with so many hash seeds (default: 1)")
    given = parser.parse_args()
    states = releases(Day(given.until, given.python), given.library, given.since)
    commits = write_branch(states, given.python, given.base)
    asked = ["--python", given.python, "--rounds", str(given.rounds)]
    names = "|".join(rf"{suite}\.time_run.*'{variant}', 'quick'" for suite, variant in map(str.split, given.case))
    plan = plan_counts(BRANCH, given.count, [*asked, "--bench", rf"\.({names})"])
    left = {task.commit: task for task in counting_tasks(plan)}

    def count(place: int, case: str) -> Count:
        this = commits[place]
        if this in left:
            run_task(plan, left.pop(this), given.count)
        return read_counts(tree(given.count), {this: this}).get(case, {}).get(this)

    for case in given.case:
        for line in found_lines(states, partial(count, case=case), given.least):
            say(f"{case}\t{given.python}\t{line}")
    return 0


def releases(day: Day, libraries: Sequence[str], since: str) -> list[State]:
    """Return the states of *libraries* from *since* to *day*, the oldest first: each has one release more."""
    found: list[State] = []
    while not found or found[-1].since >= moment(since):
        at = found[-1].since if found else day.date
        found.append(read_lock(Day(at, day.python).resolve_with_sources(libraries, "--format", "pylock.toml")))
    return found[::-1]


def read_lock(text: str) -> State:
    """Read what uv wrote in the format of pylock.toml."""
    versions, lines, newest = {}, [], ""
    for package in tomllib.loads(text)["packages"]:
        files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ())]
        published: datetime = min(file["upload-time"] for file in files)
        newest = max(newest, f"{published:%Y-%m-%dT%H:%M:%SZ}")
        versions[package["name"]] = package["version"]
        hashes = (f" \\\n    --hash=sha256:{file['hashes']['sha256']}" for file in files)
        lines.append(f"{package['name']}=={package['version']}{''.join(hashes)}\n")
    return State(newest, versions, "".join(lines))


def moved(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Say which versions differ."""
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return ", ".join(f"{name} {old.get(name, 'none')} → {new.get(name, 'none')}" for name in names)


def write_branch(states: Sequence[State], python: str, base: str) -> list[str]:
    """Write a commit for each of *states*, and return them."""
    _, measuring = project_libraries(tomllib.loads(PROJECT.read_text(encoding="utf-8")))
    instruments = compile_requirements(python, measuring, *INSTRUMENTS)
    commits = [""]
    for state in states:
        found = Snapshot(requirements=state.requirements)
        add_instruments(found, instruments)
        commits.append(commit(state.since, {python: found.requirements}, commits[-1], base))
    git("update-ref", f"refs/heads/{BRANCH}", commits[-1])
    return commits[1:]


def found_lines(states: Sequence[State], count: Callable[[int], Count], least: float) -> Iterator[str]:
    """Yield what changed from the first to the last of *states*, then each release that changed the count."""
    last = len(states) - 1
    yield _line(states[last], f"all {last} releases since {states[0].since[:10]}", count(0), count(last))
    for low, high in search(count, 0, last, least):
        moves = (moved(old.versions, new.versions) for old, new in pairwise(states[low : high + 1]))
        yield _line(states[high], "; ".join(moves), count(low), count(high))


def _line(state: State, moves: str, before: Count, after: Count) -> str:
    figures = ["not counted", "", ""]
    if before and after:
        figures = [f"{change(before, after)[0]:+.2%}", f"{before[0]:.0f}", f"{after[0]:.0f}"]
    return "\t".join((state.since[:10], moves, *figures))


def search(count: Callable[[int], Count], low: int, high: int, least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs of neighbouring states from *low* to *high* between which the count changes by *least* or more.

    A state that has no count is passed over, so that a pair may have several releases between its states.
    """
    before, after = count(low), count(high)
    if not before or not after or abs(change(before, after)[0]) < least:
        return
    inner = sorted(range(low + 1, high), key=lambda place: abs(2 * place - low - high))
    middle = next((place for place in inner if count(place)), None)
    if middle is None:
        yield low, high
    else:
        yield from search(count, low, middle, least)
        yield from search(count, middle, high, least)


if __name__ == "__main__":
    raise SystemExit(main())

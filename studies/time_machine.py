"""Builds a branch whose commits are the ecosystem of past days: the scenarios of today with the libraries of that day.

Each commit has a file of requirements with hashes for each Python, which src/windtunnel_scenarios/install takes in
place of uv.lock. bench, detect, bisect and publish work on the branch as on any other. A lock never has an old release
of a library where a newer one was there: each library is also resolved alone, and what cannot be had is left out with
the reason. A Python is left out on days before its release.

    make study ARGS="studies.time_machine --since 2022-11 --until 2026-10 --python 3.11 --python 3.13 --branch past"
    make study ARGS="studies.time_machine --since 2023-10 --until 2023-10 --python 3.11 --folder snapshots"
    make study ARGS="studies.time_machine --until 2026-11 --python 3.11 --folder snapshots --branch past --count out"

With --count, the instructions of the cases in COUNTED are counted at each commit of the branch, the Mays first, with
everything that records a run: results in asv's format, packages, and the reason of each case without a count. The next
call goes on where this one ended: it takes the files of --folder, the branch, and what the folder of --count has.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .snapshot_counts import COUNTED, count_snapshots

ROOT = Path(__file__).parents[1]
PROJECT = ROOT / "src/windtunnel_scenarios/pyproject.toml"
SNAPSHOT = "src/windtunnel_scenarios/snapshot"
"""The folder of the files of requirements in a commit."""
SOURCES = ("ephem", "frozenlist", "greenlet", "markupsafe", "multidict", "wrapt", "yarl", "zope-interface")
"""What may be built from source: small extensions that had no wheels for a new Python at first."""
FIRST = ("fastapi", "uvicorn", "aiohttp", "httpx")
"""Where libraries of a day exclude each other, these stay."""
RELEASED = {"3.12": "2023-10-02", "3.13": "2024-10-07", "3.14": "2025-10-07", "3.15": "2026-10-01"}
"""The day of each Python."""
INSTRUMENTS = ("--generate-hashes", "--only-binary", ":all:")
"""How what measures is resolved."""
THREADS = 3
PIN = re.compile(r"^([a-z0-9][a-z0-9.-]*)==(\S+)", re.MULTILINE)


class StaleError(Exception):
    """A resolution took an old release of a library."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day at which libraries are resolved for a Python."""

    date: str
    """Its beginning, as 2023-10-01; or a moment, as 2023-10-01T12:00:00Z: what was published by then is left out."""
    python: str

    def resolve(self, wanted: Sequence[str], *options: str) -> str:
        """Return the requirements that *wanted* had on this day; raises ValueError with the reason."""
        limit = ("--exclude-newer", moment(self.date), "--prerelease", "disallow", "--only-binary", ":all:")
        return compile_requirements(self.python, wanted, *limit, *options)

    def resolve_with_sources(self, wanted: Sequence[str], *options: str) -> str:
        """Return the requirements of *wanted* from wheels alone; where that fails, with builds of SOURCES."""
        try:
            return self.resolve(wanted, *options)
        except ValueError:
            return self.resolve(wanted, *options, *(part for each in SOURCES for part in ("--no-binary", each)))


@dataclass(slots=True)
class Snapshot:
    """The lock of a day."""

    requirements: str = ""
    """Requirements with hashes; empty before they are resolved."""
    versions: dict[str, str] = field(default_factory=dict)
    """All versions, by name."""
    unavailable: dict[str, str] = field(default_factory=dict)
    """Why a library is left out, by its name."""

    def text(self, date: str, python: str) -> str:
        """Return the content of its file."""
        lines = [f"# libraries of {date} for Python {python}; studies/time_machine.py writes this file"]
        lines += [f"# unavailable: {name}: {reason}" for name, reason in sorted(self.unavailable.items())]
        return "\n".join((*lines, self.requirements.strip(), ""))


def main() -> int:
    """Write the files and the branch, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--since", default="2022-11", type=_month, metavar="YYYY-MM", help="the first month (default: 2022-11)")
    option("--until", required=True, type=_month, metavar="YYYY-MM", help="the last month")
    option("--every", default=3, type=int, metavar="MONTHS", help="months between two commits (default: 3)")
    option("--python", action="append", required=True, metavar="3.NN", help="a Python; may be repeated")
    option("--library", action="append", metavar="NAME", help="with these libraries only (default: all of scenarios)")
    option("--branch", help="write this branch of the repository; it must not exist")
    option("--folder", type=Path, help="keep the files here, a folder a day; those that are there are taken")
    option("--base", default="HEAD", metavar="REV", help="the commit whose tree all commits have (default: HEAD)")
    option("--count", type=Path, metavar="FOLDER", help="count instructions at each commit, into this folder")
    option("--bench", action="append", metavar="REGEX", help="count these cases (default: those of the plan)")
    option("--retry", action="store_true", help="count again what was skipped")
    option("--rounds", default=3, type=int, metavar="N", help="with so many hash seeds (default: 3)")
    given = parser.parse_args()
    if not given.branch and not given.folder:
        parser.error("name a --branch or a --folder to write")
    if given.every < 1 or not all(re.fullmatch(r"3\.\d\d?", each) for each in given.python):
        parser.error("a Python is written as 3.13, and --every is at least 1")
    exists = bool(given.branch and git("branch", "--list", given.branch))
    if given.count and not given.branch:
        parser.error("--count measures the commits of a --branch")
    if exists and not given.count:
        parser.error(f"the branch {given.branch} exists; delete it, or name another one")
    if not exists:
        build(given)
    if given.count:
        asked = [option for each in given.python for option in ("--python", each)]
        asked += [option for each in given.bench or COUNTED for option in ("--bench", each)]
        asked += ["--rounds", str(given.rounds), *(["--retry"] if given.retry else [])]
        count_snapshots(given.branch, set(days(given.since, given.until, given.every)), given.count, asked, say)
    return 0


def build(given: argparse.Namespace) -> None:
    """Write the files, and the branch."""
    direct, measuring = project_libraries(tomllib.loads(PROJECT.read_text(encoding="utf-8")))
    parent = ""
    for date in days(given.since, given.until, given.every):
        texts = {}
        for python in given.python:
            if date < RELEASED.get(python, ""):
                continue
            kept = given.folder / date / f"{python}.txt" if given.folder else None
            if kept and kept.exists():
                texts[python] = kept.read_text(encoding="utf-8")
                continue
            found = snapshot(Day(date, python), given.library or direct)
            add_instruments(found, compile_requirements(python, measuring, *INSTRUMENTS))
            texts[python] = found.text(date, python)
            absent = ", ".join(sorted(found.unavailable)) or "none"
            say(f"{date} {python}: {len(found.versions)} packages, unavailable: {absent}")
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(texts[python], encoding="utf-8")
        if given.branch and texts:
            parent = commit(date, texts, parent, given.base)
    if given.branch and parent:
        git("update-ref", f"refs/heads/{given.branch}", parent)
        say(f"branch {given.branch} is at {parent[:10]}; measure it with windtunnel bench --branch {given.branch}")


def say(line: str) -> None:
    """Print *line* at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _month(text: str) -> tuple[int, int]:
    if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a month such as 2023-10")
    year, month = text.split("-")
    return int(year), int(month)


def days(since: tuple[int, int], until: tuple[int, int], every: int) -> Iterator[str]:
    """Yield the first day of each *every*-th month."""
    first, last = (12 * year + month - 1 for year, month in (since, until))
    for at in range(first, last + 1, every):
        yield f"{at // 12}-{at % 12 + 1:02}-01"


def moment(date: str) -> str:
    """Return a moment, or the beginning of a day, as uv and git read it."""
    return date if "T" in date else f"{date}T00:00:00Z"


def project_libraries(project: Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]) -> tuple[list[str], list[str]]:
    """Return the names of the libraries that scenarios time, in the order in which they stay, and what measures."""
    extras = project["project"]["optional-dependencies"]
    listed = (each for name, group in extras.items() if name not in {"libraries", "measuring"} for each in group)
    names = {each.partition("==")[0] for each in listed}
    return [*FIRST, *sorted(names.difference(FIRST))], list(extras["measuring"])


def snapshot(day: Day, direct: Sequence[str]) -> Snapshot:
    """Return the newest releases of *direct* on *day*, and why some are left out; raises StaleError as a last check."""
    found = Snapshot()
    with ThreadPoolExecutor(THREADS) as pool:
        newest = dict(zip(direct, pool.map(lambda name: _alone(day, name), direct), strict=True))
    pins: dict[str, str] = {}
    for name, (version, reason) in newest.items():
        if version:
            pins[name] = version
        else:
            found.unavailable[name] = reason
    chosen: list[str] = []
    _choose(day, [f"{name}=={version}" for name, version in pins.items()], chosen, found)
    found.requirements = day.resolve_with_sources(chosen, "--generate-hashes") if chosen else ""
    found.versions = dict(PIN.findall(found.requirements))
    require_newest(day, {name: pins[name] for name in pins if name not in found.unavailable}, found.versions)
    for name in found.unavailable.keys() & found.versions.keys():
        found.unavailable[name] += f" (others bring {found.versions[name]})"
    return found


def _choose(day: Day, group: list[str], chosen: list[str], found: Snapshot) -> None:
    """Add those of *group* to *chosen* that go with the others, the first ones first; the rest is unavailable."""
    try:
        day.resolve_with_sources([*chosen, *group])
    except ValueError as error:
        half = len(group) // 2
        if half:
            _choose(day, group[:half], chosen, found)
            _choose(day, group[half:], chosen, found)
        else:
            name, _, version = group[0].partition("==")
            found.unavailable[name] = f"{version} does not go with the others: {error}"
    else:
        chosen += group


def require_newest(day: Day, newest: Mapping[str, str], versions: Mapping[str, str]) -> None:
    """Raise StaleError if one of *versions* is not the *newest* of *day*."""
    stale = [
        f"{name} {versions.get(name)} (newest {version})"
        for name, version in newest.items()
        if versions.get(name) != version
    ]
    if stale:
        raise StaleError(f"{day.date}, Python {day.python}: the lock has old releases: {', '.join(stale)}")


def _alone(day: Day, name: str) -> tuple[str, str]:
    """Return the newest release of *name* that can be installed with what it needs, or the reason why there is none."""
    options = ("--no-binary", name) if name in SOURCES else ()
    try:
        version = dict(PIN.findall(day.resolve([name], "--no-deps")))[name]
    except ValueError as error:
        if not options:
            return "", str(error)
        try:
            version = dict(PIN.findall(day.resolve([name], "--no-deps", *options)))[name]
        except ValueError as second:
            return "", str(second)
    try:
        day.resolve_with_sources([f"{name}=={version}"])
    except ValueError as error:
        return "", f"{version} needs what cannot be had: {error}"
    return version, ""


def add_instruments(found: Snapshot, today: str) -> None:
    """Add what measures, in the versions of today: an instrument must not move."""
    fixed = dict(PIN.findall(today))
    blocks = re.split(r"(?m)^(?=[a-z0-9])", found.requirements)
    kept = [each for each in blocks if (name := PIN.match(each)) and name[1] not in fixed]
    found.requirements = "".join(kept) + today
    found.versions |= fixed


def compile_requirements(python: str, wanted: Sequence[str], *options: str) -> str:
    """Return what uv resolves *wanted* to for *python*; raises ValueError with uv's reason in a line."""
    uv = shutil.which("uv", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))) or "uv"
    command = [uv, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-config"]
    command += ["--python-version", python]
    done = subprocess.run(
        [*command, *options, "-"], input="\n".join(wanted), capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [each.strip(" ╰─▶│×") for each in done.stderr.splitlines() if not each.startswith("warning")]
        raise ValueError(" ".join(filter(None, lines))[:300] or "uv gave no reason")
    return done.stdout


def commit(date: str, texts: Mapping[str, str], parent: str, base: str = "HEAD") -> str:
    """Return a commit of *date* on *parent*: the tree of *base* with the requirements of that day.

    The same files and base give the same commit anywhere.
    """
    values = {"DATE": moment(date), "NAME": "time machine", "EMAIL": "time-machine@localhost"}
    stamp = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in values.items()}
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, **stamp, "GIT_INDEX_FILE": f"{folder}/index"}
        git("read-tree", base, env=env)
        for python, text in texts.items():
            blob = git("hash-object", "-w", "--stdin", text=text)
            git("update-index", "--add", "--cacheinfo", f"100644,{blob},{SNAPSHOT}/{python}.txt", env=env)
        tree = git("write-tree", env=env)
        parents = ("-p", parent) if parent else ()
        return git("commit-tree", tree, *parents, "-m", f"libraries of {date}", env=env)


def git(*arguments: str, text: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """Return what a command of git prints."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, input=text, env=env, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())

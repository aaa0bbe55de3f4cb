"""Collects what the page Years of the site shows: counts with the libraries of past days, what moved them, and why.

    make study ARGS="studies.years"    # writes docs/measurements/years.json from the archives beside it, and pictures

A step is explained by the releases that studies.release_search found, and by the causes in steps.toml, which people
reviewed, or else those of predictions.toml whose sign it has. Its null is the first case of NULLS counted on both days.
"""

import argparse
import csv
import itertools
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time
from math import log
from pathlib import Path
from statistics import median
from typing import Any

from windtunnel.files import unpack
from windtunnel.publish.format.results import YEARS_FORMAT, StepCause, YearsData, YearsJob, YearsStep

from . import years_picture
from .snapshot_counts import PREDICTIONS, SEEN, Counts, read_counts
from .time_machine import PIN

FOLDER = PREDICTIONS.parent
PYTHON = "3.11"
ARCHIVE = FOLDER / f"ecosystem-{PYTHON}.tar.xz"
OTHERS = {python: FOLDER / f"ecosystem-{python}.tar.xz" for python in ("3.12", "3.13")}
"""The archives of other Pythons, built by the same compiler with the same options: what differs is the Python."""
STEPS = FOLDER / "steps.toml"
RELEASES = FOLDER / "ecosystem-releases.tsv"
"""What studies.release_search printed."""
YEARS = FOLDER / "years.json"
IMAGES = FOLDER.parent / "images"
JOBS = {
    "HttpInTurn": ("HTTP clients", "a request", 20),
    "ServerRequests": ("Web servers", "a response", 50),
    "AppCalls": ("Web frameworks", "a call of an application", 20),
    "Tasks": ("Tasks", "a task", 5_000),
    "Queue": ("Queues", "an item", 1_000),
    "HttpRequests": ("HTTP clients, a session for each request", "a request", 3),
    "RedisCommands": ("Redis", "a command", 2_000),
    "RedisPipeline": ("Redis in pipelines", "a command", 2_000),
    "PostgresSelect": ("PostgreSQL", "a query", 500),
    "PostgresRows": ("PostgreSQL, many rows", "all rows", 1),
}
"""The title of each job, what a value is for, and how many of these the load quick has."""
NULLS = ("Tasks gather", "Tasks task_group", "HttpRequests urllib", "Queue asyncio_queue")
"""Cases that use no library."""
LEFT_OUT = "HttpInTurn requests"
"""niquests installed another library in its place."""
ABOUT = (
    "Instructions: the scenarios of today, each with the libraries of that day, on CPython 3.11.7, 3.12.1 and 3.13.0,"
    " all built alike, without profile-guided optimisation. They show what is computed, and not time, waiting, the"
    " kernel, or what runs in other processes and threads."
)
COMMAND = (
    "mkdir -p .asv && tar xf docs/measurements/ecosystem-3.11.tar.xz -C .asv && make study"
    ' ARGS="studies.time_machine --since {since} --until {until} --every {months} --python 3.11 --folder .asv/snapshots'
    " --base c2308246 --branch years-{until} --count .asv/years --rounds 1 --bench '{job}.time_run.*.{case}., .quick'\""
)


def main() -> int:
    """Write years.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archive", type=Path, default=ARCHIVE, help="locks and results (default: those of 3.11)")
    parser.add_argument("--out", type=Path, default=YEARS, help="the file to write (default: docs/measurements)")
    given = parser.parse_args()
    found = collect(given.archive)
    given.out.write_bytes(YEARS_FORMAT.encode(found))
    if given.out == YEARS:
        for path, picture in pictures(found).items():
            path.write_text(picture, encoding="utf-8")
    unexplained = sum(not each.causes for each in found.steps)
    sys.stdout.write(f"{given.out}: {len(found.steps)} steps, {unexplained} of them without an explanation\n")
    return 0


def pictures(found: YearsData) -> dict[Path, str]:
    """Return the pictures of README."""
    return {IMAGES / f"years-{each}.svg": years_picture.draw(found, each) for each in years_picture.SCHEMES}


def read_years() -> YearsData:
    """Return what docs/measurements/years.json has."""
    return YEARS_FORMAT.decode(YEARS.read_bytes(), str(YEARS))


def collect(archive: Path) -> YearsData:
    """Return what the page shows of the locks and results in *archive*, and of the results in OTHERS."""
    locks, counts = read_archive(archive, PYTHON)
    others = {python: read_archive(path, python)[1] for python, path in OTHERS.items()}
    dates = sorted(locks)
    notes = [*tomllib.loads(STEPS.read_text(encoding="utf-8"))["step"], *predicted()]
    moved = sorted(steps(counts, dates, notes), key=lambda each: -abs(log(each.after / each.before)))
    return YearsData(
        schema="windtunnel.years/1",
        python=PYTHON,
        unit="instructions",
        about=ABOUT,
        command=COMMAND,
        dates=tuple(dates),
        jobs=tuple(jobs(counts, dates, others)),
        steps=tuple(moved),
        packages=packages([dict(PIN.findall(locks[date])) for date in dates]),
    )


def read_archive(archive: Path, python: str) -> tuple[dict[str, str], Counts]:
    """Return the locks of a Python by day, and the counts of cases with two days or more."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        unpack(archive.read_bytes(), folder)
        paths = folder.glob(f"snapshots/*/{python}.txt")
        locks = {path.parent.name: path.read_text(encoding="utf-8") for path in paths}
        found = read_counts(folder, result_days(folder, python))
    return locks, {case: by_day for case, by_day in found.items() if len(by_day) > 1 and case != LEFT_OUT}


def result_days(folder: Path, python: str) -> dict[str, str]:
    """Return the day of each commit with results: the time machine dates a commit by its libraries, at midnight."""
    files = (json.loads(path.read_bytes()) for path in folder.rglob(f"*-py{python}.json"))
    moments = {each["commit_hash"]: datetime.fromtimestamp(each["date"] / 1000, UTC) for each in files}
    return {commit: f"{at:%Y-%m-%d}" for commit, at in moments.items() if at.time() == time()}


def packages(locks: Sequence[dict[str, str]]) -> dict[str, tuple[str | None, ...]]:
    """Return the version of each package in each of *locks*, without those that never change."""
    names = sorted(set(itertools.chain.from_iterable(locks)))
    found = {name: tuple(lock.get(name) for lock in locks) for name in names}
    return {name: versions for name, versions in found.items() if len(set(versions)) > 1}


def jobs(counts: Counts, dates: Sequence[str], others: Mapping[str, Counts]) -> Iterator[YearsJob]:
    """Yield each job with the values of its cases, on other Pythons too."""
    measured = {case.split()[0] for case in counts}
    for job in [*filter(measured.__contains__, JOBS), *sorted(measured.difference(JOBS))]:
        title, each, count = JOBS.get(job, (job, "a call", 1))
        found = {python: table(job, theirs, dates, count) for python, theirs in others.items()}
        pythons = {python: cases for python, cases in found.items() if cases}
        cases = table(job, counts, dates, count)
        yield YearsJob(id=job, title=title, each=each, cases=cases, pythons=pythons)


def table(job: str, counts: Counts, dates: Sequence[str], count: int) -> dict[str, tuple[float | None, ...]]:
    """Return the values of the cases of a *job* on all *dates*, for one of the *count* that a call does."""
    return {
        case.split()[1]: tuple(round(median(by_day[date]) / count, 1) if date in by_day else None for date in dates)
        for case, by_day in sorted(counts.items())
        if case.split()[0] == job
    }


def steps(counts: Counts, dates: Sequence[str], notes: Sequence[dict[str, Any]]) -> Iterator[YearsStep]:
    """Yield what moved by SEEN or more; *notes* say why."""
    for name, by_day in counts.items():
        job, case = name.split()
        count = JOBS.get(job, (job, "a call", 1))[2]
        for since, date in itertools.pairwise(each for each in dates if each in by_day):
            before, after = median(by_day[since]), median(by_day[date])
            if abs(after / before - 1) < SEEN:
                continue
            null = next((each for each in NULLS if each != name and {since, date} <= counts.get(each, {}).keys()), "")
            still = median(counts[null][date]) / median(counts[null][since]) - 1 if null else None
            sign = "+" if after > before else "-"
            yield YearsStep(
                job=job,
                case=case,
                since=since,
                date=date,
                before=round(before / count, 1),
                after=round(after / count, 1),
                null=null,
                null_change=None if still is None else round(still, 5),
                causes=tuple(causes(name, since, date, sign, notes)),
            )


def predicted() -> Iterator[dict[str, Any]]:
    """Yield the predictions as notes."""
    for each in tomllib.loads(PREDICTIONS.read_text(encoding="utf-8"))["prediction"]:
        kept = {"library": each["library"], "version": each["release"], "text": each["says"], "link": each["link"]}
        yield kept | {"cases": each["cases"], "snapshot": each["snapshot"], "sign": each["sign"]}


def causes(case: str, since: str, date: str, sign: str, notes: Iterable[dict[str, Any]]) -> Iterator[StepCause]:
    """Yield what explains the step of a *case*: found releases with their notes, then what *notes* have on others."""
    here = [each for each in notes if case in each["cases"] and since[:7] < each["snapshot"] <= date[:7]]
    reviewed = [each for each in here if "sign" not in each]
    left = reviewed or [each for each in here if each["sign"] == sign]
    found = (each for each in read_releases() if each["case"] == case and since < each["day"] <= date)
    for release in sorted(found, key=lambda each: -abs(each["alone"])):
        for name, old, new in release["moves"]:
            told = [one for one in left if one["library"] == name and order(old) < order(one["version"]) <= order(new)]
            left = [each for each in left if each not in told]
            right = next((one for one in told if one.get("sign", release["sign"]) == release["sign"]), {"text": ""})
            link = right.get("link", "")
            yield StepCause(library=name, version=new, text=right["text"], link=link, alone=release["alone"])
    for each in left:
        yield StepCause(library=each["library"], version=each["version"], text=each["text"], link=each.get("link", ""))


def read_releases() -> Iterator[dict[str, Any]]:
    """Yield the releases that a search found: their case, day, packages, and the relative change."""
    if RELEASES.is_file():
        with RELEASES.open(encoding="utf-8") as file:
            for each in csv.DictReader(file, delimiter="\t"):
                moves = re.findall(r"(\S+) (?!none )(\S+) → (?!none)([^\s,;]+)", each["release"])
                alone = round(float(each["change"][:-1]) / 100, 6) if each["change"].endswith("%") else 0.0
                if moves and each["python"] == PYTHON and abs(alone) >= SEEN:
                    yield {**each, "moves": moves, "alone": alone, "sign": "+" if alone > 0 else "-"}


def order(version: str) -> tuple[int, ...]:
    """Return what orders versions."""
    return tuple(map(int, re.findall(r"\d+", version)))


if __name__ == "__main__":
    sys.exit(main())

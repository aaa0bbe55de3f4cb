"""Counts instructions at each commit of a branch of studies.time_machine, and compares them with the predictions.

    make study ARGS="studies.snapshot_counts RESULTS --branch past"      # the table of steps; the predictions in a file
    make study ARGS="studies.snapshot_counts RESULTS --branch past --against FOLDER"    # the same, counted twice

Counts hardly depend on the load of the machine, so other programs may run. Each snapshot is planned, run and merged
with the ordinary commands; what their plan times is left out.
"""

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

import msgspec

from windtunnel.bench.format import Plan, Task
from windtunnel.model.benchmark import COUNTS_SUFFIX

ROOT = Path(__file__).parents[1]
WINDTUNNEL = Path(sys.executable).with_name("windtunnel")
PREDICTIONS = ROOT / "docs/measurements/predictions.toml"
VERDICTS = ROOT / "docs/measurements/ecosystem-predictions.tsv"
RELEASES = ROOT / "docs/measurements/ecosystem-releases.tsv"
"""What studies.release_search printed."""
COUNTED = (
    r"HttpInTurn\.time_run.*quick",
    r"(AppCalls|ServerRequests)\.time_run.*quick",
    r"HttpRequests\.time_run.*(urllib|aiohttp_session_per_request).*quick",
    r"\.Tasks\.time_run.*'(gather|task_group|timeout|uvloop_gather|(anyio_)?(asyncio|trio)(_timeout)?)', 'quick'",
    r"\.Queue\.time_run.*'(asyncio_queue|anyio_asyncio|anyio_trio|trio)', 'quick'",
    r"(RedisCommands|RedisPipeline)\.time_run.*'(sync|asyncio)', 'quick'",
    r"(PostgresSelect|PostgresRows)\.time_run.*'(sync|psycopg_async|asyncpg)', 'quick'",
)
"""The cases of the plan in docs/measurements/ecosystem.md."""
SEEN = 0.005
"""The least change that counts as a step."""


def count_snapshots(
    branch: str, days: Collection[str], results: Path, options: Sequence[str], say: Callable[[str], None]
) -> None:
    """Count at the commits of *branch* from *days* what *results* does not have; *options* are those of ci plan."""
    plan, dates = plan_counts(branch, results, options), commit_dates(branch)
    tasks = [task for task in counting_tasks(plan) if dates[task.commit] in days]
    for task in sorted(tasks, key=lambda each: (dates[each.commit][5:7] != "05", dates[each.commit])):
        begun = monotonic()
        run_task(plan, task, results)
        say(f"{dates[task.commit]} {task.python}: {len(task.selections)} benchmarks in {monotonic() - begun:.0f} s")


def plan_counts(branch: str, results: Path, options: Sequence[str]) -> Plan:
    """Plan what *results* does not have of the commits of *branch*; *options* are those of ci plan."""
    results.mkdir(parents=True, exist_ok=True)
    asked = [*options, "--branch", branch, "--backfill", "1000", "--shards", "1"]
    asked += ["--instructions", "--results", str(tree(results)), "--skip-existing", "--quiet"]
    windtunnel("ci", "plan", "--out", str(plan_file(results)), *asked)
    return msgspec.json.decode(plan_file(results).read_bytes(), type=Plan)


def counting_tasks(plan: Plan) -> Iterator[Task]:
    """Yield the tasks of *plan* with what counts alone."""
    for task in (each for shard in plan.shards for each in shard.tasks):
        if counts := tuple(each for each in task.selections if each.benchmark.endswith(COUNTS_SUFFIX)):
            yield msgspec.structs.replace(task, selections=counts)


def run_task(plan: Plan, task: Task, results: Path) -> None:
    """Count one commit, and merge it into *results*."""
    out, file = results / "run", plan_file(results)
    shard = msgspec.structs.replace(plan.shards[0], tasks=(task,))
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(plan, shards=(shard,))))
    shutil.rmtree(out, ignore_errors=True)
    windtunnel("ci", "run", "--plan", str(file), "--shard", "0", "--out", str(out), fine=(0, 1, 3))
    windtunnel("merge", str(out), "--into", str(tree(results)), "--quiet")


def plan_file(results: Path) -> Path:
    """Return the file of the plan."""
    return results.absolute() / "plan.json"


def tree(results: Path) -> Path:
    """Return the folder of results in asv's format."""
    return results.absolute() / "results"


def windtunnel(*arguments: str, fine: Sequence[int] = (0,)) -> None:
    """Run a command in this repository."""
    done = subprocess.run([str(WINDTUNNEL), *arguments], cwd=ROOT, env=os.environ, check=False, stdout=sys.stderr)
    if done.returncode not in fine:
        raise SystemExit(f"windtunnel {' '.join(arguments[:2])} ended with exit code {done.returncode}")


def commit_dates(branch: str) -> dict[str, str]:
    """Return the day of each commit of a branch, oldest first."""
    command = ["git", "-C", str(ROOT), "log", "--reverse", "--format=%H %as", branch, "--"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in log.splitlines())


Counts = dict[str, dict[str, tuple[float, ...]]]
"""The counts of each hash seed, by case (``HttpInTurn aiohttp``) and day."""


def read_counts(folder: Path, dates: dict[str, str]) -> Counts:
    """Read what a folder of results in asv's format has on the commits of *dates*."""
    found: Counts = {}
    for path in sorted(folder.rglob("*.json")):
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict) or content.get("commit_hash") not in dates:
            continue
        columns, day = content["result_columns"], dates[content["commit_hash"]]
        for name, row in content["results"].items():
            cells = dict(zip(columns, row, strict=False))
            if name.endswith(COUNTS_SUFFIX) and cells.get("samples"):
                cases = itertools.product(*cells["params"])
                for (variant, *_), samples in zip(cases, cells["samples"], strict=True):
                    if samples:
                        case = f"{name.split('.')[-3]} {variant.strip(chr(39))}"
                        found.setdefault(case, {})[day] = tuple(samples)
    return found


def change(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Return the median change of the seeds, the least and the largest: each seed is compared with itself."""
    ratios = sorted(new / old - 1 for old, new in zip(before, after, strict=True))
    return ratios[len(ratios) // 2], ratios[0], ratios[-1]


def steps(counts: Counts, days: Sequence[str]) -> Iterator[str]:
    """Yield a row for each case with two days or more: its count on the first one and what moved since, per cent."""
    for case, by_day in sorted(counts.items()):
        measured = [day for day in days if day in by_day]
        if len(measured) == 1:
            continue
        moves = []
        for old, new in itertools.pairwise(measured):
            middle, *_ = change(by_day[old], by_day[new])
            if abs(middle) >= SEEN:
                moves.append(f"{new[:7]} {middle:+.1%}")
        ends = [by_day[measured[0]], by_day[measured[-1]]]
        then, now = (f"{median(each):,.0f}" for each in ends)
        since = measured[0][:7]
        yield f"| {case} | {since} | {then} | {now} | {change(*ends)[0]:+.1%} | {', '.join(moves) or 'none'} |"


Release = tuple[str, str, str, str, str, str, str]
"""A line of studies.release_search: case, Python, day, what moved, change, and the counts before and after."""

HEAD = ("release", "case", "predicted", "alone", "change", "quarter", "change", "null")


def verdicts(counts: Counts, days: Sequence[str], found: Sequence[Release]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each prediction and case: what the release does alone, and what all of its quarter do."""
    for prediction in tomllib.loads(PREDICTIONS.read_text(encoding="utf-8"))["prediction"]:
        after, null = f"{prediction['snapshot']}-01", counts.get(prediction.get("null", ""), {})
        for case in prediction["cases"]:
            by_day = counts.get(case, {})
            before = max((day for day in by_day if day < after), default="")
            share = alone(found, case, prediction)
            row = [f"{prediction['library']} {prediction['release']}", case, prediction["sign"]]
            row += [verdict(share, prediction["sign"]), f"{share:+.2%}" if share else ""]
            if not before or after not in by_day:
                yield (*row, "not measured", "", "")
                continue
            middle = change(by_day[before], by_day[after])[0]
            word = verdict(middle, prediction["sign"])
            word = word if before == max(day for day in days if day < after) else "not separated"
            still = f"{change(null[before], null[after])[0]:+.1%}" if {before, after} <= set(null) else ""
            yield (*row, word, f"{middle:+.2%} since {before[:7]}", still)


def verdict(share: float | None, predicted: str) -> str:
    """Return whether a change is the predicted one."""
    if share is None:
        return "not measured"
    seen = "0" if abs(share) < SEEN else "+" if share > 0 else "-"
    return "as predicted" if seen == predicted else "not seen" if seen == "0" else "otherwise"


def alone(found: Sequence[Release], case: str, prediction: Mapping[str, Any]) -> float | None:
    """Return the change that a release made alone; 0 if a search over its day found none; None without a search."""
    searched = False
    for _, _, day, moves, share, *_ in (each for each in found if each[0] == case and each[4].endswith("%")):
        whole = re.fullmatch(r"all \d+ releases since (.*)", moves)
        searched |= bool(whole and whole[1] <= str(prediction["date"]) <= day)
        for name, old, new in re.findall(r"(\S+) (\S+) → ([^\s,;]+)", moves):
            if name == prediction["library"] and _order(old) < _order(prediction["release"]) <= _order(new):
                return float(share.rstrip("%")) / 100
    return 0.0 if searched else None


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def read_releases(path: Path) -> list[Release]:
    """Read what studies.release_search printed."""
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:])
    return [(case, python, day, moves, share, old, new) for case, python, day, moves, share, old, new in rows]


def repeats(counts: Counts, again: Counts) -> Iterator[str]:
    """Yield a row for each case and day that was counted twice: under two paths, a difference is the layout's."""
    for case in sorted(counts.keys() & again.keys()):
        for day in sorted(counts[case].keys() & again[case].keys()):
            seeds = min(len(counts[case][day]), len(again[case][day]))
            first, second = (each[case][day][:seeds] for each in (counts, again))
            yield f"| {case} | {day[:7]} | {median(first):,.0f} | {change(first, second)[0]:+.3%} |"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of --count")
    parser.add_argument("--branch", action="append", required=True, help="a branch whose commits were counted")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="compare with counts made under another path")
    given = parser.parse_args()
    dates: dict[str, str] = {}
    for branch in given.branch:
        dates |= commit_dates(branch)
    counts = read_counts(tree(given.results), dates)
    if not counts:
        parser.error(f"{given.results} has no counts of the branch {given.branch}")
    if given.against:
        rows = repeats(counts, read_counts(tree(given.against), dates))
        sys.stdout.write("\n".join(("| case | day | count | again |", "|---|---|---|---|", *rows, "")))
        return 0
    days, found = sorted(set(dates.values())), read_releases(RELEASES)
    heads = ("case", "since", "then", "now", "change", "steps")
    sys.stdout.write("\n".join((f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *steps(counts, days), "", "")))
    rows = list(verdicts(counts, days, found))
    for kind, place in (("alone", 3), ("quarter", 5)):
        tally = Counter(row[place] for row in rows)
        sys.stdout.write(f"{kind}: {', '.join(f'{word} {number}' for word, number in tally.most_common())}\n")
    VERDICTS.write_text("".join("\t".join(row) + "\n" for row in (HEAD, *rows)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

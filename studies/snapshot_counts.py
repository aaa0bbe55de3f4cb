"""Counts instructions at each commit of a branch of studies.time_machine, and compares them with the predictions.

    make study ARGS="studies.snapshot_counts RESULTS --branch past"      # the table of steps and predictions

Counts hardly depend on the load of the machine, so other programs may run. Each snapshot is planned, run and merged
with the ordinary commands; what their plan times is left out.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import monotonic

import msgspec

from windtunnel.bench.format import Plan
from windtunnel.model.benchmark import COUNTS_SUFFIX

ROOT = Path(__file__).parents[1]
WINDTUNNEL = Path(sys.executable).with_name("windtunnel")
PREDICTIONS = ROOT / "docs/measurements/predictions.toml"
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
    results.mkdir(parents=True, exist_ok=True)
    plan_file = results.absolute() / "plan.json"
    asked = [*options, "--branch", branch, "--backfill", "1000", "--shards", "1"]
    asked += ["--instructions", "--results", str(tree(results)), "--skip-existing", "--quiet"]
    windtunnel("ci", "plan", "--out", str(plan_file), *asked)
    plan = msgspec.json.decode(plan_file.read_bytes(), type=Plan)
    dates = commit_dates(branch)
    tasks = [task for shard in plan.shards for task in shard.tasks if dates[task.commit] in days]
    for task in sorted(tasks, key=lambda each: (dates[each.commit][5:7] != "05", dates[each.commit])):
        counts = tuple(each for each in task.selections if each.benchmark.endswith(COUNTS_SUFFIX))
        if not counts:
            continue
        begun, out = monotonic(), results / "run"
        shard = msgspec.structs.replace(plan.shards[0], tasks=(msgspec.structs.replace(task, selections=counts),))
        plan_file.write_bytes(msgspec.json.encode(msgspec.structs.replace(plan, shards=(shard,))))
        shutil.rmtree(out, ignore_errors=True)
        windtunnel("ci", "run", "--plan", str(plan_file), "--shard", "0", "--out", str(out), fine=(0, 1, 3))
        windtunnel("merge", str(out), "--into", str(tree(results)), "--quiet")
        say(f"{dates[task.commit]} {task.python}: {len(counts)} benchmarks in {monotonic() - begun:.0f} s")


def tree(results: Path) -> Path:
    """Return the folder of results in asv's format."""
    return results.absolute() / "results"


def windtunnel(*arguments: str, fine: Sequence[int] = (0,)) -> None:
    """Run a command in this repository."""
    done = subprocess.run([str(WINDTUNNEL), *arguments], cwd=ROOT, env=os.environ, check=False)
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
    """Yield a row for each case: its count on the first day and what moved since, per cent."""
    for case, by_day in sorted(counts.items()):
        measured = [day for day in days if day in by_day]
        moves = []
        for old, new in itertools.pairwise(measured):
            middle, *_ = change(by_day[old], by_day[new])
            if abs(middle) >= SEEN:
                moves.append(f"{new[:7]} {middle:+.1%}")
        ends = [by_day[measured[0]], by_day[measured[-1]]]
        then, now = (f"{median(each):,.0f}" for each in ends)
        since = measured[0][:7]
        yield f"| {case} | {since} | {then} | {now} | {change(*ends)[0]:+.1%} | {', '.join(moves) or 'none'} |"


def verdicts(counts: Counts, days: Sequence[str]) -> Iterator[str]:
    """Yield a row for each prediction and case: seen or not, sign and size."""
    for prediction in tomllib.loads(PREDICTIONS.read_text(encoding="utf-8"))["prediction"]:
        after = f"{prediction['snapshot']}-01"
        null = prediction.get("null", "")
        for case in prediction["cases"]:
            by_day = counts.get(case, {})
            earlier = [day for day in days if day in by_day and day < after]
            quarter = [day for day in days if day < after][-1:]
            label = f"| {prediction['library']} {prediction['release']} | {case} | {prediction['sign']} "
            if after not in by_day or not earlier:
                yield f"{label}| not measured | | |"
                continue
            middle, low, high = change(by_day[earlier[-1]], by_day[after])
            seen = "0" if abs(middle) < SEEN else "+" if middle > 0 else "-"
            word = "as predicted" if seen == prediction["sign"] else "not seen" if seen == "0" else "otherwise"
            word = word if earlier[-1:] == quarter else "not separated"
            other = counts.get(null, {})
            still = f"{change(other[earlier[-1]], other[after])[0]:+.1%}" if {earlier[-1], after} <= set(other) else ""
            yield f"{label}| {word} | {middle:+.2%} ({low:+.2%} to {high:+.2%}) since {earlier[-1][:7]} | {still} |"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of --count")
    parser.add_argument("--branch", required=True, help="the branch whose commits were counted")
    given = parser.parse_args()
    dates = commit_dates(given.branch)
    counts = read_counts(tree(given.results), dates)
    if not counts:
        parser.error(f"{given.results} has no counts of the branch {given.branch}")
    days = list(dates.values())
    heads = ("case", "since", "then", "now", "change", "steps"), ("release", "case", "sign", "", "change", "null")
    for head, rows in zip(heads, (steps(counts, days), verdicts(counts, days)), strict=True):
        sys.stdout.write("\n".join((f"| {' | '.join(head)} |", "|---" * len(head) + "|", *rows, "", "")))
    return 0


if __name__ == "__main__":
    sys.exit(main())

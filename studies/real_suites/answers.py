"""Asks ``windtunnel compare``, ``ci prepare`` and ``asv continuous``, and says what of the answer is right."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from threading import Timer
from time import monotonic, time

from studies.comparing.contestants import ASV_FACTOR
from studies.real_suites.injections import work_folders
from windtunnel.asv.pythons import find_interpreters
from windtunnel.asv.results_format.files import decode_benchmarks
from windtunnel.formats import decode
from windtunnel.model.benchmark import cases_of, counts_of
from windtunnel.model.reach_map import KEPT_FORMAT, KEPT_SCHEMA, KeptMap, ReachMap, pack
from windtunnel.results.record_files import MAPS, map_file, record_paths

BIN = Path(sys.executable).parent
OURS, ASV = "windtunnel compare", "asv continuous"
DECIDED = {"regressed", "improved", "unchanged"}
COUNTS = ("reached", "measured", "decided")
ENDED = "ended"
"""What is said of asv where its time was over."""

ANSWER = re.compile(r"(slower|faster|unchanged|undecided|suspected)\b|No (slowdown|benchmark)|Nothing|None of ")
"""What a line has that says what is known of a case or of all."""


NOTHING = {"seconds": 0.0, "cpu": 0.0, "lines": ()}


def compared(asked, base, head, name, more=()):
    """Return the verdict of ``windtunnel compare``, and what asking it took."""
    out = asked.folder / "verdicts" / f"{name}.json"
    out.parent.mkdir(exist_ok=True)
    out.unlink(missing_ok=True)
    where = [*(("--config", str(asked.clone / asked.config)) if asked.config else ())]
    where += ("--repo", str(asked.clone)) if Path(asked.config).is_absolute() else ()
    results = asked.folder / "results"
    results.mkdir(exist_ok=True)
    spent = None
    if asked.stored and not more:
        ready, outputs = asked.folder / "prepared", asked.folder / "outputs.txt"
        outputs.write_text("")
        command = ["ci", "prepare", base, head, *where, "--results", str(results), "--out", str(ready)]
        python = ("--python", asked.python) if asked.python else ()
        env = os.environ | {"GITHUB_OUTPUT": str(outputs)}
        spent = timed(asked, name, [*command, *python, "--github-output"], env)
        if "measured=no" in outputs.read_text():
            out.write_bytes((ready / "verdict.json").read_bytes())
            return json.loads(out.read_text()), spent
    command = ["compare", base, head, *where, "--no-gate", "--out", str(out)]
    command += (*(("--python", asked.python) if asked.python else ()), *(more or ("--budget", str(asked.budget))))
    answer = timed(asked, name, command, os.environ, spent)
    verdict = json.loads(out.read_text()) if out.exists() else {}
    if asked.stored and verdict.get("environments"):
        keep_map(asked, verdict, results)
    return verdict, answer


def timed(asked, name, command, env, before=None):
    """Run a command of windtunnel and keep its lines, each with its seconds; add what it took to *before*."""
    spent = before or dict(NOTHING)
    began, used, load = monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN), os.getloadavg()[0]
    process = subprocess.Popen(
        [str(BIN / "windtunnel"), *command],
        cwd=asked.clone,
        env={name: value for name, value in env.items() if name != "PYTHONPATH"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    interrupt = Timer(60 * (asked.patience or 1e6), process.send_signal, (signal.SIGINT,))
    interrupt.daemon = True
    interrupt.start()
    lines, report = [*spent["lines"]], asked.folder / "reports" / f"{name}.txt"
    report.parent.mkdir(exist_ok=True)
    with report.open("a" if before else "w", encoding="utf-8", buffering=1) as log:
        for line in process.stdout:
            lines.append((spent["seconds"] + monotonic() - began, line.rstrip("\n")))
            log.write(f"{lines[-1][0]:7.1f}  {line}")
    process.wait()
    interrupt.cancel()
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": spent["seconds"] + monotonic() - began,
        "cpu": spent["cpu"] + now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime,
        "load": (load + os.getloadavg()[0]) / 2,
        "lines": lines,
    }


def judged(answer, running, key="", function=""):
    """Return what of the *answer* is right: *key* was slowed down, in the *function*, which the cases *running* run."""
    verdict, spent = answer
    rows = verdict.get("comparisons", [])
    worse = [row for row in rows if row["verdict"] == "regressed"]
    better = [row for row in rows if row["verdict"] == "improved"]
    causes = [each["name"] for row in worse for each in (row.get("cause") or {}).get("functions", ())]
    right = {each.rpartition("-")[0] for each in running}
    others = [row for row in worse if row["benchmark"] not in right]
    timings = (verdict.get("budget") or {}).get("machine_timings") or [{}]
    said = [line for _, line in spent["lines"]] or [""]
    return {
        "by": OURS,
        "base": verdict.get("base", ""),
        "head": verdict.get("head", ""),
        "reached": (verdict.get("reach") or {}).get("reached", 0),
        "measured": len(rows),
        "decided": sum(row["verdict"] in DECIDED for row in rows),
        "found": bool(running) and any(row["benchmark"] == key.rpartition("-")[0] for row in worse),
        "named": bool(function) and any(each.endswith(function) for each in causes),
        "false": len(others) + len(better),
        "minutes": spent["seconds"] / 60,
        "building": timings[0].get("building_seconds", 0.0) / 60,
        "first": next((seconds / 60 for seconds, line in spent["lines"] if ANSWER.search(line)), None),
        "cpu": spent["cpu"] / 60,
        "load": spent["load"],
        "overall": verdict.get("overall", "failed"),
        "headline": next((one for one, after in pairwise(said) if "What to do: " in after), said[-1]),
    }


def asv_continuous(asked, ours):
    """Return what ``asv continuous`` says of the commits of a trial, in the time that it is given."""
    spec = asked.python.rpartition(":")[2]
    found = {one.spec: one.path for one in find_interpreters(os.environ)}
    folders = [str(BIN), *([str(Path(found[spec]).parent)] if spec in found else [])]
    env = os.environ | {"PATH": os.pathsep.join([*folders, os.environ["PATH"]]), "PYTHONPATH": ""}
    asv = [str(BIN / "asv")]
    config = ["--config", str(asked.clone / asked.config)] if asked.config else []
    subprocess.run([*asv, "machine", "--yes"], cwd=asked.clone, env=env, check=True, capture_output=True)
    command = [*asv, "continuous", *config, "--factor", ASV_FACTOR, *(["-E", f"virtualenv:{spec}"] if spec else [])]
    began, used, load = monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN), os.getloadavg()[0]
    log = asked.folder / "reports" / f"{'-'.join(map(str, ours['trial']))}-asv.txt"
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, ours["base"], ours["head"]],
            cwd=asked.clone,
            env=env,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
        try:
            process.wait(60 * asked.asv_minutes)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = log.read_text(errors="replace")
    rows = set(re.findall(r"^\| ([+-]) .*\| ([^\s(\[|]+)[^|]*\|$", text, re.MULTILINE))
    slower, faster = ({name for sign, name in rows if sign == which} for which in "+-")
    right = {ours["case"].rpartition("-")[0]} if ours["trial"][0] == "slower" else set()
    stopped = "SIGNIFICANTLY CHANGED" not in text and "PERFORMANCE" not in text
    return {
        "by": ASV,
        **dict.fromkeys((*COUNTS, "named")),
        "found": right <= slower,
        "false": len(faster) + (0 if right else len(slower)),
        "minutes": (monotonic() - began) / 60,
        "cpu": (now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) / 60,
        "load": (load + os.getloadavg()[0]) / 2,
        "overall": ENDED if stopped else "",
        "slower": sorted(slower),
        "faster": sorted(faster),
    }


def maps(asked):
    """Return the files with what the cases of a commit run, the oldest first."""
    found = {path for folder in work_folders(asked) for path in folder.glob("*/reach/*.json")}
    return sorted(found, key=lambda path: path.stat().st_mtime)


def keep_map(asked, verdict, results):
    """Keep head's map with the results, as the main branch does after each push; older ones go.

    Its date is today: a workflow uses no map older than 30 days, and the commits of a snapshot are older.
    """
    for path in maps(asked):
        if path.stem == verdict["head"]:
            found = decode(path.read_bytes(), ReachMap, str(path))
            listed = path.parents[1] / "head.json"
            benchmarks = decode_benchmarks(listed.read_bytes(), str(listed)).value
            names = {
                f"{one.name}-{case.index}": case.name
                for one in benchmarks
                if not counts_of(one)
                for case in cases_of(one)
            }
            environment = verdict["environments"][0]["name"]
            about = KeptMap(
                schema=KEPT_SCHEMA,
                commit=verdict["head"],
                date=int(time()),
                python=re.search(r"py(\d+\.\d+)", environment)[1],
                environment=environment,
                suite=found.suite,
                build=found.build,
                total=len(names),
            )
            cases = {names[key]: case for key, case in found.cases.items() if key in names}
            kept = pack(about, ReachMap(imports=found.imports, cases=cases))
            for old in record_paths(results, MAPS):
                old.unlink()
            file = map_file(results, kept)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(KEPT_FORMAT.encode(kept))

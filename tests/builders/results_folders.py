"""Folders in asv's results format, written as asv writes them and not by the code under test."""

import json

MACHINE = "desk"
COLUMNS = ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "samples"]
SAMPLES = [0.099, 0.1, 0.1, 0.1, 0.1, 0.101]


def a_results_folder(where, commits, *, python="3.12", results=None, benchmarks=None, names=("b.time",)):
    """Results of *commits* (hash by date): *results* by benchmark, or 0.1 s of every one of *names*."""
    folder = where / MACHINE
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "machine.json").write_text(json.dumps({"machine": MACHINE, "version": 1}), encoding="utf-8")
    entries = {name: a_benchmark_entry(name) for name in names} if benchmarks is None else benchmarks
    (where / "benchmarks.json").write_text(json.dumps(entries | {"version": 2}), encoding="utf-8")
    rows = {name: [[0.1], [], "1", 1, 1.0, [0.099], [0.101], [SAMPLES]] for name in names}
    for index, commit in enumerate(commits):
        content = {
            "commit_hash": commit,
            "env_name": f"virtualenv-py{python}",
            "date": 1_700_000_000_000 + index * 1000,
            "params": {"machine": MACHINE, "python": python},
            "python": python,
            "requirements": {},
            "env_vars": {},
            "result_columns": COLUMNS,
            "results": rows if results is None else results,
            "durations": {},
            "version": 2,
        }
        (folder / f"{commit[:8]}-virtualenv-py{python}.json").write_text(json.dumps(content), encoding="utf-8")
    return where


def a_benchmark_entry(name, **more):
    """What benchmarks.json says of a benchmark without parameters."""
    entry = {"code": "def time(): pass", "name": name, "param_names": [], "params": [], "type": "time"}
    return entry | {"unit": "seconds", "version": "1"} | more

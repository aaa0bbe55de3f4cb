"""Files as asv writes them, and damaged ones."""

import json

from windtunnel.asv.results_format.layout import NAMES

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def row(result, params=(), version="v1", started_at=1_700_000_000_000, duration=1.5, **columns):
    """A row of format 2, cut after the last column that says something."""
    known = {"result": result, "params": params, "version": version, "started_at": started_at, "duration": duration}
    values = [(known | columns).get(name) for name in NAMES]
    while values[-1] is None:
        values.pop()
    return values


def stats(*values, **columns):
    """The columns of statistics that asv keeps for *values*."""
    return {
        "stats_ci_99_a": [value * 0.9 for value in values],
        "stats_ci_99_b": [value * 1.1 for value in values],
        "stats_q_25": [value * 0.95 for value in values],
        "stats_q_75": [value * 1.05 for value in values],
        "stats_number": [10 for _ in values],
        "stats_repeat": [5 for _ in values],
    } | columns


def results_file(rows=(), **fields):
    """A results file of format 2; a field that is ... is left out."""
    data = {
        "commit_hash": COMMIT,
        "env_name": "virtualenv-py3.12",
        "date": 1_690_000_000_000,
        "params": {"machine": "desk", "python": "3.12", "ram": "16GB"},
        "python": "3.12",
        "requirements": {"numpy": ""},
        "env_vars": {},
        "result_columns": list(NAMES),
        "results": dict(rows),
        "durations": {"<build>": 12.5},
        "version": 2,
    } | fields
    return json.dumps({name: value for name, value in data.items() if value is not ...}).encode()


def old_results_file(results=(), **fields):
    """A results file of format 1."""
    data = {
        "commit_hash": COMMIT,
        "date": 1_500_000_000_000,
        "params": {"machine": "desk", "python": "3.6"},
        "python": "3.6",
        "requirements": {"numpy": "1.17", "six": ""},
        "results": dict(results),
        "profiles": {},
        "started_at": {},
        "ended_at": {},
        "benchmark_version": {},
        "version": 1,
    } | fields
    return json.dumps({name: value for name, value in data.items() if value is not ...}).encode()

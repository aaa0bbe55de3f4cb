"""Files that are nearly what asv writes."""

import json
import math

from tests.builders.files import old_results_file, results_file, row, stats

STATISTICS = {"ci_99": [0.9, 1.1], "q_25": 0.95, "q_75": 1.05, "number": 10, "repeat": 5, "mean": 1.01}

CASES = [
    {"benchmark": "a.time", "params": [f"'{way}'"], "version": "1", "unit": "seconds", "is_time": True}
    for way in ("one", "two")
]
BLOCK = {
    "started": 1000.0,
    "visits": [{"case": case, "samples": [1.0 + case, 1.1 + case]} for case in (0, 1, 1, 0)],
    "seconds": 1.5,
    "background_load": 0.1,
}
MACHINE = {"name": "desk", "architecture": "x86_64", "cpu": "", "cores": 2, "memory": 8, "os": "Linux", "kernel": ""}
CLAIM_SAMPLES = {
    "schema": "windtunnel.claim-samples/1",
    "project": "p",
    "commit": "a" * 40,
    "date": 1000,
    "python": "3.12",
    "environment": "virtualenv-py3.12",
    "machine": {**MACHINE, "image": "", "load": 0.0},
    "build": None,
    "started": 1000.0,
    "ended": 2000.0,
    "interrupted": False,
    "seed": 1,
    "series": [
        {
            "given": [{"name": "load", "value": "'standard'"}],
            "processes": "shared",
            "claims": ["Z1"],
            "cases": CASES,
            "blocks": [BLOCK] * 4,
        }
    ],
}

SEEDS = {
    "claim samples": json.dumps(CLAIM_SAMPLES).encode(),
    "run": results_file(
        {
            "a.time": row([1.0], **stats(1.0), samples=[[0.9, 1.0, 1.1]], profile="eJw="),
            "b.param": row([1.5, math.nan, None, math.inf], params=[["'x'", "NaN"], ["1", "2"]], **stats(1, 2, 3, 4)),
            "c.failed": row(None, params=[["1", "2"]]),
            "d.track": row([7]),
        },
        tool={"any": [1, None]},
        windtunnel={
            "rows": {"a.time": {"process_sizes": [[1, 2]], "started_at": [5], "sessions": [[5, 1.0], [None, 2.0]]}},
            "superseded": [{"name": "a.time", "row": [[2.0], [], "v0"], "note": {"extra": {"x": 1}}}],
        },
    ),
    "old run": old_results_file(
        {
            "a": 5,
            "b": None,
            "c": {"result": [1.0, None], "stats": [STATISTICS, None], "params": [["1", "2"]]},
            "d": {"result": [1.0], "samples": [[0.5, 1.5]], "params": []},
        },
        started_at={"a": 1000},
        ended_at={"a": 3500},
        benchmark_version={"a": "v1"},
    ),
    "benchmarks": json.dumps(
        {
            "a.time": {
                "name": "a.time",
                "type": "time",
                "unit": "seconds",
                "version": "v1",
                "param_names": ["p"],
                "params": [["1", "2"]],
                "code": "pass",
                "timeout": 60.0,
                "windtunnel_last_seen": 5,
            },
            "version": 2,
        }
    ).encode(),
    "machine": json.dumps({"machine": "desk", "ram": "16GB", "version": 1}).encode(),
}
"""One file of each kind, with everything in it that may be."""

TOKENS = (
    *(b"NaN", b"-NaN", b"Infinity", b"-Infinity", b"null", b"true", b"0E0", b"0E-00000", b"1e999", b"-0", b"1.5", b"0"),
    *(b"[", b"]", b"{", b"}", b",", b":", b'"', b" ", b"\n", b"\\", b"[]", b"{}", b'""', b'{"a":', b"[" * 2000),
    *(b"\\ud800", b"\\udc00", b"\\u0000", b"\xff", b"\xc3", b"\x00", b"\xef\xbb\xbf", "ü🚀".encode()),
    *(b"9" * 400, b"9" * 5000, b"-9223372036854775809", b'"NaN"', b'"windtunnel"', b'"version"', b"../"),
)

VALUES = (
    *(None, True, False, 0, -1, 1, 2, 3, 1.5, math.nan, math.inf, -math.inf, 2**63, -(2**70), 10**400, 1e308, 5e-324),
    *("", "x", "..", "NaN", "ü🚀", "\ud800", "\x00", "a/b", "x" * 300, [], {}, [[]], [None], [[None]], {"a": {}}),
    *([["1"]], [["1", "2"], ["3"]], [[str(i) for i in range(400)]] * 3, ["1"], [1, "x"], {"machine": "desk"}),
)


def mutated(content, random):
    """Return *content* after one to four changes, to its bytes or to its values."""
    for _ in range(random.randint(1, 4)):
        try:
            content = _other_value(content, random) if random.random() < 0.6 else _other_bytes(content, random)
        except (ValueError, RecursionError):
            content = _other_bytes(content, random)
    return content


def _other_bytes(content, random):
    start = random.randint(0, len(content))
    end = min(start + random.choice((0, 1, 5, 50, 1000)), len(content))
    part = random.choice((b"", content[start:end] * 2, content[end : end + 40], random.choice(TOKENS)))
    return content[:start] + part + content[end:]


def _other_value(content, random):
    data = json.loads(content)
    places = list(_places(data))
    if not places:
        return content
    inside, key = random.choice(places)
    other_inside, other_key = random.choice(places)
    match random.randint(0, 3):
        case 0:
            del inside[key]
        case 1:
            inside[key] = json.loads(json.dumps(other_inside[other_key]))
        case _:
            inside[key] = random.choice(VALUES)
    return json.dumps(data).encode()


def _places(data):
    """Yield every container in *data* with every key in it."""
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in list(keys):
        yield data, key
        yield from _places(data[key])

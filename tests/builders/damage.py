"""Results files in which one thing is damaged, and what a file holds, to see what is lost."""

import json
import math
import re
from collections import Counter
from itertools import product

from windtunnel.asv.results_format.files import decode_run, encode_run
from windtunnel.asv.results_format.layout import NAMES
from windtunnel.results.merge import merge_runs

PART = re.compile(r'[^][{}\s":,]+')
"""A part of a text: a parameter that is an object is kept as its text."""

COUNTED = re.compile(r"\b(\d+) (?:number|sample|statistic)s?\b")
"""What a problem says of how much is not kept."""

WHOLE = (math.nan, None, {}, [], "text", 5, True, [[]], {"a": 1.25}, -math.inf, 10**400)
"""What may stand in the place of a column."""
PARTS = (math.nan, None, {}, [], "text", [None], {"a": 1.25}, -math.inf, 10**400)
"""What may stand in the place of an entry of a column."""


def damaged_rows(row, names=NAMES):
    """Yield each damage and the *row* of format 2 with it: each column as a whole, and in part."""
    for index, name in enumerate(names[: len(row)]):
        for value in WHOLE:
            yield f"{name} is {value!r}", _with(row, index, value)
        yield f"the row ends before {name}", row[:index]
        for value, place in _parts(row[index]):
            yield f"{name}: {value!r} at {place}", _with(row, index, value, *place)
        if isinstance(row[index], list) and row[index]:
            yield f"{name} lacks its end", _with(row, index, row[index][:-1])
            yield f"{name} has more", _with(row, index, [*row[index], row[index][-1]])


def damaged_objects(value):
    """Yield each damage and the row of format 1 with it: the same in each place of a tree of objects and lists."""
    for place in _places(value):
        for other in WHOLE:
            yield f"{other!r} at {place}", _replaced(value, place, other)


def leaves(value):
    """Count the numbers and texts in a JSON value, 5 and 5.0 and "5" alike; NaN, null, true and false say nothing.

    An integer of more than 64 bits is kept as a float, and infinity in a version or a parameter as its JSON.
    """
    return Counter(_leaves(value))


def _leaves(value):
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    elif not (value is None or isinstance(value, bool) or value != value):
        yield from map(_same, PART.findall(str(value).replace("Infinity", "inf")))


def _same(part):
    """Return what number and text have in common: 5 and 5.0, and a long integer and its float."""
    return str(float(part)) if part.isdigit() and 19 < len(part) < 300 else part.removesuffix(".0")


def contents(file):
    """Return what a results file holds of each benchmark, in its rows and beside them."""
    found = {name: leaves(row) for name, row in file["results"].items()}
    for name, note in file.get("windtunnel", {}).get("rows", {}).items():
        found[name] = found.get(name, Counter()) + leaves(note)
    for row in file.get("windtunnel", {}).get("superseded", ()):
        found[row["name"]] = found.get(row["name"], Counter()) + leaves(row)
    if file["version"] == 1:
        for column in ("benchmark_version", "started_at", "duration", "profiles"):
            for name in found:
                found[name] += leaves((file.get(column) or {}).get(name))
    return found


def require_kept_or_reported(content, name, damage, layouts):
    """What the row *name* of *content* holds is in the merged file, or counted in a problem; other rows are whole."""
    written, problems = _merged(content, layouts)
    before, after = contents(json.loads(content)), contents(written)
    for each, leaves in before.items():
        lost = leaves - after.get(each, leaves - leaves)
        reported = [problem for problem in problems if problem.startswith(f"results.{each}")]
        assert reported or not lost, f"{damage}: {lost} of {each}"
        counted = sum(int(count) for problem in reported for count in COUNTED.findall(problem))
        missing = sum(count for leaf, count in lost.items() if _is_number(leaf))
        assert missing <= counted, f"{damage}: {lost} of {each}, {reported}"
        assert each == name or not reported, f"{damage}: {reported}"


def _is_number(leaf):
    """Whether a leaf is a number; asv's own field names and dates in texts are none."""
    try:
        return math.isfinite(float(leaf))
    except (ValueError, OverflowError):
        return False


def _merged(content, layouts):
    """What a merge writes of the file *content*, and the problems of reading it."""
    found = decode_run(content, "file.json", layouts)
    once, conflicts = merge_runs(found.value, found.value)
    assert conflicts == ()
    written = encode_run(once)
    assert decode_run(written, "again.json").problems == ()
    return json.loads(written), [f"{problem.key}: {problem.reason}" for problem in found.problems]


def _with(row, index, value, *place):
    """Return *row* with *value* as a column, or at a *place* in it."""
    return _replaced(row, (index, *place), value)


def _parts(column):
    """Yield values and their places in a column: its first entry, and what is in it."""
    if isinstance(column, list) and column:
        places = [(0,), (0, 0)] if isinstance(column[0], list) and column[0] else [(0,)]
        yield from product(PARTS, places)


def _places(value, place=()):
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*place, key))


def _replaced(value, place, other):
    """Return a copy of *value* with *other* at *place*."""
    if not place:
        return other
    copy = json.loads(json.dumps(value))
    inside = copy
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = other
    return copy

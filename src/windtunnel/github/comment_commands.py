"""What a comment on a pull request asks for: ``/benchmark …`` in its first line, taken apart and checked.

Every value ends up as one argument of a command, in the environment of a workflow step; none may hold a line break.
"""

import re
import shlex
from dataclasses import dataclass

WORD = "/benchmark"
LONGEST = 500
SPEC = re.compile(r"[A-Za-z]*[0-9][0-9.]*t?")
REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./~^-]{0,99}")
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")

USAGE = "/benchmark [REGEX] [--python SPEC], /benchmark bisect BENCHMARK GOOD BAD, or /benchmark ack ID WHY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """Measure this pull request now."""

    bench: str = ""
    python: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisect:
    """Find the commit between two."""

    benchmark: str
    good: str
    bad: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledge:
    """Say of an alert that it is known."""

    alert: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Misspelt:
    """Meant for us, and not understood."""

    why: str


Command = Compare | Bisect | Acknowledge | Misspelt


def parse(body: str) -> Command | None:
    """Return what the first line of *body* asks for, None where it does not begin with ``/benchmark``."""
    first = body.lstrip("\ufeff").partition("\n")[0].strip()
    if first.split(maxsplit=1)[:1] != [WORD]:
        return None
    if len(first) > LONGEST or not first.isprintable():
        return Misspelt(why=f"longer than {LONGEST} characters, or with signs that cannot be printed")
    try:
        return _command(shlex.split(first)[1:])
    except ValueError as error:
        return Misspelt(why=f"{error}".lower())


def _command(words: list[str]) -> Command:
    match words:
        case ["bisect", benchmark, good, bad] if _is_range(good, bad) and not benchmark.startswith("-"):
            return Bisect(benchmark=benchmark, good=good, bad=bad)
        case ["ack", alert, *why] if why and ID.fullmatch(alert):
            return Acknowledge(alert=alert, why=" ".join(why))
        case ["bisect" | "ack", *_]:
            return Misspelt(why=f"write {USAGE}")
        case _:
            return _compare(words)


def _is_range(good: str, bad: str) -> bool:
    return bool(REVISION.fullmatch(good) and REVISION.fullmatch(bad))


def _compare(words: list[str]) -> Compare | Misspelt:
    bench, python = "", ""
    while words:
        match words:
            case ["--python", spec, *rest] if SPEC.fullmatch(spec) and not python:
                python, words = spec, rest
            case [regex, *rest] if not regex.startswith("-") and not bench:
                bench, words = regex, rest
            case _:
                return Misspelt(why=f"{words[0]!r} is not understood; write {USAGE}")
    try:
        re.compile(bench)
    except re.error as error:
        return Misspelt(why=f"{bench!r} is no regular expression: {error}")
    return Compare(bench=bench, python=python)

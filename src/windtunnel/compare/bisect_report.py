"""What a bisection has found, in words for a terminal."""

from collections.abc import Iterator

from windtunnel.compare.bisect_format import Bisection, BisectionAnswer, CandidateCommit
from windtunnel.text.escaping import visible

MOST_NAMED = 20
"""Commits of a range that are named."""


def render_bisection(found: Bisection) -> str:
    """Return the report on *found*: the answer first, then what it rests on."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Bisection) -> Iterator[str]:
    match found.answer:
        case BisectionAnswer.COMMIT:
            yield f"{_commit(found, found.after)} changed {visible(found.case, 200)}{_by(found)}"
        case BisectionAnswer.RANGE:
            between = _between(found)
            yield f"One of {len(between)} commits changed {visible(found.case, 200)}{_by(found)}; no telling which:"
            yield from (f"  {_named(one)}{_why(found, one)}" for one in between[:MOST_NAMED])
            if len(between) > MOST_NAMED:
                yield f"  ... and {len(between) - MOST_NAMED} more"
        case BisectionAnswer.NOTHING:
            yield f"Nothing to find: {visible(found.reason, 400)}"
        case BisectionAnswer.UNFINISHED:
            yield f"No answer yet ({visible(found.reason or 'interrupted', 200)}): the same command goes on from here"
    yield f"{len(found.candidates) - 1} commits after {_named(found.candidates[0])}; {_rounds(found)}"


def _by(found: Bisection) -> str:
    if found.relative_change is None or found.interval is None:
        return ""
    return (
        f" by {found.relative_change:+.1%} ({found.interval.low:+.1%} to {found.interval.high:+.1%}, "
        f"{found.confidence:.1%}, good against bad)"
    )


def _rounds(found: Bisection) -> str:
    processes = sum(len(one.processes) for one in found.tested)
    wrong = f"a wrong commit is named with at most {found.error:.0%}"
    return f"{len(found.tested)} of them tried with {processes} processes; {wrong}"


def _between(found: Bisection) -> tuple[CandidateCommit, ...]:
    hashes = [one.hash for one in found.candidates]
    return found.candidates[hashes.index(found.before) + 1 : hashes.index(found.after) + 1]


def _why(found: Bisection, one: CandidateCommit) -> str:
    tested = next((each for each in found.tested if each.hash == one.hash), None)
    return f": {visible(tested.reason.splitlines()[0], 120)}" if tested and tested.reason else ""


def _commit(found: Bisection, name: str) -> str:
    return _named(next(one for one in found.candidates if one.hash == name))


def _named(one: CandidateCommit) -> str:
    return f"{one.hash[:10]} ({visible(one.subject, 80)})"

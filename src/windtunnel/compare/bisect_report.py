"""Renders the result of a bisection as text; the file may come from outsiders, so its words are escaped and cut."""

from collections.abc import Iterator

from windtunnel.compare.bisect_format import Bisection, BisectionAnswer, CandidateCommit
from windtunnel.text.escaping import visible

MAX_NAMED = 20
"""The commits of a range that are listed."""


def render_bisection(found: Bisection) -> str:
    """Return the report on *found*: the answer first, then its basis."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Bisection) -> Iterator[str]:
    name = visible(found.case, 200)
    if found.answer is BisectionAnswer.FAILED:
        yield f"The search did not begin: {visible(found.reason, 400)}"
        return
    match found.answer:
        case BisectionAnswer.COMMIT:
            commit = next(one for one in found.candidates if one.hash == found.after)
            yield f"{_commit(commit)} changed {name}{_change(found)}"
        case BisectionAnswer.RANGE:
            between = _between(found)
            yield f"One of {len(between)} commits changed {name}{_change(found)}; which one is undecided:"
            yield from (f"  {_commit(one)}{_reason(found, one)}" for one in between[:MAX_NAMED])
            if len(between) > MAX_NAMED:
                yield f"  ... and {len(between) - MAX_NAMED} more"
        case BisectionAnswer.NOTHING:
            yield f"Nothing to find: {visible(found.reason, 400)}"
        case BisectionAnswer.UNFINISHED:
            yield f"No answer yet ({visible(found.reason or 'interrupted', 200)}): run the same command to continue"
    processes = sum(len(one.processes) for one in found.measured)
    yield (
        f"{len(found.candidates) - 1} commits after {_commit(found.candidates[0])}; {len(found.measured)} of them "
        f"tested with {processes} processes; the answer is wrong with a probability of at most {found.error:.0%}"
    )


def _change(found: Bisection) -> str:
    if found.relative_change is None or found.interval is None:
        return ""
    return (
        f" by {found.relative_change:+.1%} ({found.interval.low:+.1%} to {found.interval.high:+.1%}, "
        f"{found.confidence:.1%} confidence, bad against good)"
    )


def _between(found: Bisection) -> tuple[CandidateCommit, ...]:
    hashes = [one.hash for one in found.candidates]
    return found.candidates[hashes.index(found.before) + 1 : hashes.index(found.after) + 1]


def _reason(found: Bisection, one: CandidateCommit) -> str:
    tested = next((each for each in found.measured if each.hash == one.hash), None)
    return f": {visible(tested.reason.splitlines()[0], 120)}" if tested and tested.reason else ""


def _commit(one: CandidateCommit) -> str:
    return f"{visible(one.hash[:10])} ({visible(one.subject, 80)})"

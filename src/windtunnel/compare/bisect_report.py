"""Renders the result of a bisection as text; the file may come from outsiders, so its words are escaped and cut."""

from collections.abc import Iterator

from windtunnel.compare.bisect_format import Bisection, BisectionAnswer, CandidateCommit, DecidedBy
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import count

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
            yield f"{_what(found, commit)} changed {name}{_change(found)}{_together(found)}"
        case BisectionAnswer.RANGE:
            between = _between(found)
            several = ", or several together," if found.packages else ""
            lead = f"One of {len(between)} {_noun(found)}{several} changed {name}"
            yield f"{lead}{_change(found)}; which one is undecided:"
            yield from (f"  {_what(found, one)}{_reason(found, one)}" for one in between[:MAX_NAMED])
            if len(between) > MAX_NAMED:
                yield f"  ... and {len(between) - MAX_NAMED} more"
        case BisectionAnswer.NOTHING:
            yield f"Nothing to find: {visible(found.reason, 400)}"
        case BisectionAnswer.UNFINISHED:
            yield f"No answer yet ({visible(found.reason or 'interrupted', 200)}): run the same command to continue"
    if found.cause is not None:
        yield from (f"  {visible(one, 400)}" for one in found.cause.sentences())
    yield _basis(found)


def _basis(found: Bisection) -> str:
    """Return what was tested, and the error rate of the answer."""
    if found.packages:
        which = visible(found.commit[:10])
        why = f" ({visible(found.commits_explain, 200)})" if found.commits_explain else ""
        moved = f"{len(found.packages)} packages moved, all measured with commit {which}{why}"
        tested = f"{moved}; {len(found.measured)} sets"
    else:
        after = _what(found, found.candidates[0])
        tested = f"{count(len(found.candidates) - 1, 'commit')} after {after}; {len(found.measured)} of them"
    if found.decided_by is DecidedBy.INSTRUCTIONS:
        return f"{tested} counted; instructions decide, which noise does not change"
    processes = sum(len(one.processes) for one in found.measured)
    return (
        f"{tested} tested with {processes} processes; time decides, and the answer is wrong with a probability of at "
        f"most {found.error:.0%}"
    )


def _change(found: Bisection) -> str:
    if found.relative_change is None:
        return ""
    if found.decided_by is DecidedBy.INSTRUCTIONS:
        return f" by {found.relative_change:+.1%} in instructions (bad against good)"
    if found.interval is None:
        return ""
    return (
        f" by {found.relative_change:+.1%} ({found.interval.low:+.1%} to {found.interval.high:+.1%}, "
        f"{found.confidence:.1%} confidence, bad against good)"
    )


def _together(found: Bisection) -> str:
    """Return whether a package needs others to change the case."""
    if not found.packages or found.alone_shows:
        return ""
    return ", only together with others" if found.alone_shows is False else "; whether it does so alone is not known"


def _noun(found: Bisection) -> str:
    return "packages" if found.packages else "commits"


def _between(found: Bisection) -> tuple[CandidateCommit, ...]:
    hashes = [one.hash for one in found.candidates]
    return found.candidates[hashes.index(found.before) + 1 : hashes.index(found.after) + 1]


def _reason(found: Bisection, one: CandidateCommit) -> str:
    tested = next((each for each in found.measured if each.hash == one.hash), None)
    return f": {visible(tested.reason.splitlines()[0], 120)}" if tested and tested.reason else ""


def _what(found: Bisection, one: CandidateCommit) -> str:
    return visible(one.subject, 120) if found.packages else f"{visible(one.hash[:10])} ({visible(one.subject, 80)})"

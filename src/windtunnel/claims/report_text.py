"""Claims in words: how many hold where, what flipped, and the figures of a test; for every form of the report."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from windtunnel.claims.format import ClaimBoard, ClaimPlace, DecidedClaim, DecidedTest, Decision, Setting
from windtunnel.text.numbers import DASH, Worded, quantity, ratio

MOST_FLIPS = 20
"""Flips that are told; the rest is counted."""


def word(decision: Decision) -> str:
    """Return *decision* as people say it."""
    return decision.value.replace("_", " ")


def tried(one: DecidedClaim) -> bool:
    """Tell whether anything was measured for the claim at its place."""
    return one.commit is not None


def summary(board: ClaimBoard, place: ClaimPlace) -> str:
    """Return how many claims came to what at *place*."""
    mine = [one for one in board.decisions if one.place == place.name]
    counts = Counter("not measured" if _idle(one) else word(one.decision) for one in mine)
    words = {"holds": "hold", "fails": "fail"}
    order = [*map(word, Decision), "not measured"]
    return ", ".join(f"{counts[each]} {words.get(each, each)}" for each in order if counts[each])


def figures(test: DecidedTest) -> Worded | None:
    """Return the ratio of *test* with its interval, None where it has none."""
    if test.ratio is None or test.interval is None:
        return None
    return ratio(test.ratio, (test.interval.low, test.interval.high))


def beside(one: DecidedClaim) -> Iterator[str]:
    """Yield what is told beside *one*: each figure with its interval, or why there is none."""
    for figure in one.figures:
        if figure.value is None:
            yield f"{figure.name}: {figure.reason}"
            continue
        ends = (figure.low, figure.high) if figure.low is not None and figure.high is not None else None
        told = ratio(figure.value, ends) if figure.unit is None else quantity(figure.value, ends, figure.unit)
        at_least = "" if ends or figure.low is None else "at least " + _end(figure.low, figure.unit)
        yield f"{figure.name}: {told.value}" + (f" ({told.interval or at_least})" if told.interval or at_least else "")


def _end(value: float, unit: str | None) -> str:
    return (ratio(value, None) if unit is None else quantity(value, None, unit)).value


def band(test: DecidedTest) -> str:
    """Return what is claimed of the ratio."""
    if test.low is not None and test.high is not None:
        return f"{test.low:.3g} {DASH} {test.high:.3g}"
    if test.low is not None:
        return f"above {test.low:.3g}"
    return "" if test.high is None else f"below {test.high:.3g}"


def article(test: DecidedTest, says: str) -> str:
    """Return the article's figure for the ratio, else what it *says* instead."""
    return says if test.article is None else ratio(test.article, None).value


def given(settings: Sequence[Setting]) -> str:
    """Return what all cases of a claim share, such as the load."""
    return ", ".join(_readable(one.value) for one in settings)


def flips(board: ClaimBoard) -> Iterator[str]:
    """Yield a sentence for each flip, those between Pythons first."""
    for apart in board.place_flips:
        yield f"{apart.claim} holds on {_listed(apart.holds)} and fails on {_listed(apart.fails)}."
    for turned in board.commit_flips[:MOST_FLIPS]:
        was, now = ("held", "fails") if turned.before is Decision.HOLDS else ("failed", "holds")
        yield (
            f"{turned.claim} {was} on commit {turned.before_commit[:8]} and {now} on {turned.after_commit[:8]} "
            f"({turned.place})."
        )
    if (left := len(board.commit_flips) - MOST_FLIPS) > 0:
        yield f"... and {left} more flips."


def _idle(one: DecidedClaim) -> bool:
    return one.decision is Decision.UNDECIDED and not tried(one)


def _listed(names: Sequence[str]) -> str:
    return (
        " and ".join(", ".join(names).rsplit(", ", 1)) if all(", " not in name for name in names) else "; ".join(names)
    )


def _readable(value: str) -> str:
    """Return the text that *value*, a ``repr``, stands for; anything but a text as it is."""
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return text if isinstance(text, str) and text else value

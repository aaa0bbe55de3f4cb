"""How long to wait before a request is sent again, as GitHub's rules for its rate limits have it."""

from windtunnel.github.http import Answer

FIRST, LONGEST = 1.0, 60.0
"""Seconds: upper bounds of the first pause after a failure, and of any."""

SECONDARY = 60.0
"""Seconds: the least pause after a secondary limit that names none (docs.github.com, Best practices for REST)."""

MARGIN = 1.0
"""Seconds: the limit's end is told in whole seconds."""

MOST_FAILURES = 5
"""Answers of 5xx and broken connections in a row; rate limits are waited for as long as patience lasts."""


def pause(answer: Answer | None, failures: int, now: float, chance: float) -> float | None:
    """Return the seconds to wait after the *failures*-th failure in a row, None to give up.

    *answer* is None when the connection failed; *now* is Unix time; *chance* in [0, 1) spreads those who failed
    together (M. Brooker, Exponential Backoff and Jitter, AWS Architecture Blog, 2015).
    """
    if answer is not None and answer.limited:
        return _limit(answer, failures, now)
    if answer is not None and not answer.busy:
        return None
    if failures >= MOST_FAILURES:
        return None
    asked = None if answer is None else _number(answer.headers.get("retry-after"))
    return asked if asked is not None else (0.5 + chance / 2) * min(LONGEST, FIRST * 2 ** (failures - 1))


def _limit(answer: Answer, failures: int, now: float) -> float:
    """Retry-After first, then the end of the primary limit, else a minute that doubles."""
    asked = _number(answer.headers.get("retry-after"))
    if asked is not None:
        return asked + MARGIN
    reset = _number(answer.headers.get("x-ratelimit-reset"))
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(0.0, reset - now) + MARGIN
    return SECONDARY * 2.0 ** min(failures - 1, 10)


def _number(text: str | None) -> float | None:
    """Return whole seconds; a date, which HTTP allows and GitHub does not send, counts as nothing."""
    return float(text) if text and text.isascii() and text.isdecimal() and len(text) < 12 else None

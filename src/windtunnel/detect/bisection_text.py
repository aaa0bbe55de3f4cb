"""Renders what the search for the commit of an alert found, for its issue; every name is escaped."""

from collections.abc import Iterator

from windtunnel.compare.bisect_format import BisectionAnswer
from windtunnel.detect.alert_format import AlertBisection
from windtunnel.detect.bisections import MAX_ATTEMPTS
from windtunnel.text import numbers
from windtunnel.text.escaping import code, plain

MAX_CASE = 120
"""Characters of the name of a case."""


def render_bisection_result(found: AlertBisection, repository_url: str) -> str:
    """Return what the search found in Markdown, the answer first; empty while there is nothing to say."""
    return "\n".join(_lines(found, repository_url))


def _lines(found: AlertBisection, repository_url: str) -> Iterator[str]:
    match found.answer:
        case BisectionAnswer.COMMIT | BisectionAnswer.RANGE if found.packages or found.after:
            yield f"**Bisected:** {_what(found, repository_url)}. {_basis(found)}"
            yield from (f"- {plain(one, 300)}" for one in found.functions)
        case BisectionAnswer.NOTHING:
            yield f"**Bisected:** the range does not explain the change: {plain(found.reason, 300)}."
        case BisectionAnswer.FAILED:
            yield f"The bisection failed: {plain(found.reason, 300)}."
        case _ if found.attempts >= MAX_ATTEMPTS:
            why = f" ({plain(found.reason, 300)})" if found.reason else ""
            yield f"The bisection did not end in {numbers.count(found.attempts, 'attempt')}{why}."
        case _:
            pass


def _what(found: AlertBisection, repository_url: str) -> str:
    change = "" if found.relative_change is None else f" by {_signed(found.relative_change)}"
    unit = " in instructions" if change and found.decided_by == "instructions" else ""
    changed = f"changed {code(found.case, MAX_CASE)}{change}{unit}"
    if found.packages:
        return _packages(found, changed)
    commit = _commit(found.after, repository_url)
    if found.range_size > 1:
        return f"one of {found.range_size} commits up to {commit} {changed}"
    subject = f", {plain(found.subject, 120)}," if found.subject else ""
    return f"{commit}{subject} {changed}"


def _packages(found: AlertBisection, changed: str) -> str:
    names = ", ".join(code(one, 120) for one in found.packages)
    lead = "no commit of the project, but "
    if found.range_size > 1:
        return f"{lead}one of {found.range_size} packages ({names}), or several together, {changed}"
    together = {
        True: "",
        False: ", only together with other packages that moved",
        None: "; whether it does so alone is not known",
    }[found.alone_shows]
    return f"{lead}the package {names} {changed}{together}"


def _basis(found: AlertBisection) -> str:
    if found.decided_by == "instructions":
        return "Instruction counts decided, which noise does not change."
    return f"Time decided; the answer is wrong with a probability of at most {found.error:.0%}."


def _signed(change: float) -> str:
    return f"{'+' if change > 0 else numbers.MINUS}{numbers.share(abs(change))}"


def _commit(commit: str, repository_url: str) -> str:
    short = code(commit[:10])
    return f"[{short}]({repository_url}/commit/{commit})" if repository_url and commit.isalnum() else short

"""The comment under a pull request: the report on a verdict, and around it what only the run and the forge know."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.compare import report_text
from windtunnel.compare.comment_metadata import BEGIN, END, Marker
from windtunnel.compare.format import Judgement, Overall, Verdict
from windtunnel.compare.report_markdown import markdown
from windtunnel.text import numbers
from windtunnel.text.escaping import code

LONGEST = 65_000
"""Characters; GitHub takes 65,536."""

SETTLED = frozenset({Overall.UNCHANGED, Overall.IMPROVED, Overall.SAME_ARTIFACT})
"""What ends an earlier complaint; an undecided comparison does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """How long a part of the way from push to comment took, in seconds."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the artifact cannot say, or would not be believed: it comes from the forge's interface."""

    marker: Marker
    run_url: str = ""
    site_url: str = ""
    spent: tuple[Spent, ...] = ()
    failed_jobs: int = 0
    """Of the run; what these would have measured is missing, and the verdict cannot know."""
    earlier: tuple[str, ...] = ()


def news(judgement: Judgement) -> bool:
    """Tell whether the author of a pull request should read of it; what is quiet gets no comment of its own."""
    moved = judgement.having(Verdict.REGRESSED) or judgement.having(Verdict.IMPROVED)
    return bool(moved or judgement.broken or _unmeasured(judgement))


def _unmeasured(judgement: Judgement) -> bool:
    """Tell whether nothing was measured for another reason than that there is nothing, or that it failed before."""
    missing = judgement.coverage.planned > len(judgement.failing_before)
    return judgement.overall is Overall.NOTHING_MEASURED and (missing or bool(judgement.notes))


def settled(judgement: Judgement) -> bool:
    """Tell whether an earlier complaint no longer holds."""
    return judgement.overall in SETTLED and not judgement.broken


def comment(judgement: Judgement, about: About) -> str:
    """Return the comment; verdict and action stand in its first two lines, the hidden marker in its last."""
    end = "\n".join(_end(judgement, about))
    room = LONGEST - len(end.encode("utf-16-le", errors="surrogatepass")) // 2
    text = markdown(judgement, room, about.site_url)
    if about.earlier and settled(judgement) and not news(judgement):
        text = text.replace("## ", "## Resolved: ", 1)
    return f"{text}\n{end}\n{about.marker}\n"


def counts(judgement: Judgement) -> str:
    """Return in a line how many cases ended how; only what there is."""
    named = [(str(verdict), len(judgement.having(verdict))) for verdict in Verdict]
    named += [("failed", len(judgement.broken)), ("failing on base already", len(judgement.failing_before))]
    named += [("not measured", len(judgement.skipped) + len(judgement.incomparable))]
    named += [("new", len(judgement.added)), ("gone", len(judgement.removed))]
    return ", ".join(f"{number} {name}" for name, number in named if number) or "no cases"


def spent_words(spent: tuple[Spent, ...]) -> str:
    """Return where the time went."""
    return ", ".join(f"{one.name} {numbers.duration(one.seconds)}" for one in spent)


def _end(judgement: Judgement, about: About) -> Iterator[str]:
    """Yield what follows the report, line by line."""
    parts = [f"Commit {code(about.marker.head[:10])}: {counts(judgement)}"]
    if seen := report_text.seen(judgement):
        parts.append(f"a change of {seen} or more would have been seen in most of the unchanged")
    if about.site_url:
        parts.append(f"[history]({about.site_url})")
    if about.run_url:
        parts.append(f"[run]({about.run_url})")
    yield f"<sub>{' · '.join(parts)}</sub>\n"
    if about.spent:
        yield f"<sub>From push to this comment: {spent_words(about.spent)}</sub>\n"
    if about.failed_jobs:
        yield f"> Note: {_jobs(about.failed_jobs)} of the run failed, so not everything was measured\n"
    if _other_commit(judgement, about):
        own = code(about.marker.head)
        yield f"> Note: the verdict says it is on {code(judgement.head, 60)}, the run was for {own}\n"
    if about.earlier:
        yield f"<details><summary>Earlier verdicts: {len(about.earlier)}</summary>\n\n{BEGIN}"
        yield from about.earlier
        yield f"{END}\n\n</details>\n"


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number} jobs"


def _other_commit(judgement: Judgement, about: About) -> bool:
    """Tell whether the artifact speaks of another commit than the run; a name instead of a hash says nothing."""
    return bool(re.fullmatch(r"[0-9a-f]{40}", judgement.head)) and judgement.head != about.marker.head

"""Render instructions and causes as Markdown: cells of tables, and the list of why cases changed."""

from collections.abc import Iterator, Sequence

from windtunnel.compare.figures import case_label
from windtunnel.compare.format import Comparison
from windtunnel.compare.witnesses import (
    JointSentence,
    format_instructions,
    format_instructions_interval,
    join_witnesses,
)
from windtunnel.text.escaping import code, plain

MAX_EXPLAINED = 5
"""Changed cases that are explained below the table; the others are folded."""

MAX_FUNCTIONS = 3
"""Functions that are named for a case."""

MAX_NOTES = 2
"""Notes on the cause of a case."""

MAX_NAME_LENGTH = 72
"""Characters of the name of a case or of a function."""

MAX_SENTENCE_LENGTH = 400
"""Characters of a sentence with foreign text."""

WHY = "**Why:**\n\n"


def has_instructions(comparisons: Sequence[Comparison]) -> bool:
    """Return whether a table of *comparisons* has a column of instructions."""
    return any(one.instructions and one.instructions.relative_change is not None for one in comparisons)


def instruction_cell(one: Comparison) -> str:
    """Return the change of instructions with its interval below; empty without counts."""
    found = one.instructions
    if found is None or found.relative_change is None:
        return ""
    interval = format_instructions_interval(found).replace(" ", "&nbsp;")
    return format_instructions(found) + (f"<br><sub>{interval}</sub>" if interval else "")


def render_sentence(found: JointSentence) -> str:
    """Return the joint sentence of a case."""
    return found.text + (f": {plain(found.reason, MAX_SENTENCE_LENGTH)}" if found.reason else "")


def explain_case(one: Comparison) -> str:
    """Return an item of a list: the case, the joint sentence, and the functions that changed; empty if unknown."""
    joint = join_witnesses(one)
    lines = [*_functions(one)]
    if joint is None and not lines:
        return ""
    sentence = f": {render_sentence(joint)}" if joint else ""
    return "".join([f"- {code(case_label(one), MAX_NAME_LENGTH)}{sentence}\n", *(f"  - {line}\n" for line in lines)])


def _functions(one: Comparison) -> Iterator[str]:
    """Yield the functions that explain the change, and what is not explained."""
    if one.cause is None:
        return
    for function in one.cause.functions[:MAX_FUNCTIONS]:
        rest = function.sentence().removeprefix(function.name)
        yield code(function.name, MAX_NAME_LENGTH) + _plain_after(rest)
    yield from (plain(note, MAX_SENTENCE_LENGTH) for note in one.cause.notes[:MAX_NOTES])


def _plain_after(text: str) -> str:
    """Return *text* that follows code, escaped; `plain` strips the space at its start."""
    return (" " if text.startswith(" ") else "") + plain(text, MAX_SENTENCE_LENGTH)

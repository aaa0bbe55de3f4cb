"""Foreign text in our pages: names, reasons and units come from whoever wrote the benchmark, or the artifact.

In a terminal nothing may move the cursor or speak to the workflow runner; on GitHub nothing may become markup, a link,
a mention, a reference or our own hidden marker.
"""

import re

from windtunnel.model.benchmark import Benchmark

LONGEST = 160
"""Characters that are shown of a name: two lines of a page; parameters of 700 characters exist."""

LONGEST_LINE = 4000
"""Characters of a line of a log: a tool's last words, a list of names."""

PLAIN_SIGNS = " ,.;()'%+-"
"""What is no markup within a line of Markdown."""

TELLING_SIGNS = frozenset("`|\\<>&")
"""What would end a code span, a table cell or a hidden marker."""


LINKS = re.compile(r"([@#]|\bGH-|\bwww(?=\.)|:(?=//))", re.IGNORECASE)
"""What GitHub makes mentions, references and links of, each up to where an invisible break undoes it."""

BREAK = "\N{ZERO WIDTH SPACE}"


def visible(text: str, longest: int = LONGEST) -> str:
    """Return *text* on one line, what cannot be printed as its escape, cut in the middle when it is too long.

    The beginnings of a workflow command, ``::`` at the start and ``##[`` anywhere, are broken up.
    """
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut(text, longest)
    )
    shown = cut(shown, longest).replace("##[", "# #[")
    return shown.replace("::", ": :", 1) if shown.lstrip().startswith("::") else shown


def spoken(text: str) -> str:
    """Return *text* for a log, each of its lines as `visible` shows it: foreign lines speak to people only."""
    return "\n".join(visible(line, LONGEST_LINE) for line in text.split("\n"))


def preformatted(text: str) -> str:
    """Return the lines of *text* as they are, in Markdown; no sign of it is markup."""
    lines = _entities(text, allowed=PLAIN_SIGNS + "\n")
    return f"<pre>{lines}</pre>\n"


def cut(text: str, longest: int) -> str:
    """Return *text*, or its beginning and end around an ellipsis."""
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - (longest - 1 - head) :]}"


def code(text: str, longest: int = LONGEST) -> str:
    """Return *text* as code in Markdown, in a table cell too; GitHub links and mentions nobody in code.

    A plain code span where it can hold the text, so that the source stays readable; else HTML with every sign escaped.
    """
    shown = visible(text, longest).strip()
    if not shown:
        return "<code></code>"
    if TELLING_SIGNS.isdisjoint(shown):
        return f"`{shown}`"
    return f"<code>{_entities(shown)}</code>"


def plain(text: str, longest: int = LONGEST) -> str:
    """Return *text* as plain words in Markdown, no sign of it markup, every mention, reference and link broken up."""
    escaped = _entities(LINKS.sub(f"\\1{BREAK}", visible(text, longest).strip()), allowed=PLAIN_SIGNS)
    return escaped.replace(f"&#{ord(BREAK)};", "&#8203;")


def _entities(text: str, allowed: str = " ,") -> str:
    """Write all but letters, digits and *allowed* by number, which Markdown never reads as markup."""
    return "".join(char if char.isalnum() or char in allowed else f"&#{ord(char)};" for char in text)


def has_markup(benchmark: Benchmark) -> bool:
    """Tell whether a page that takes the name of *benchmark* for markup would show something else."""
    pretty = "".join(field.text for field in benchmark.extra if field.name == "pretty_name")
    return any(char in f"{benchmark.name}{pretty}" for char in "<>&\"'")

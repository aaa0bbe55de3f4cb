"""Escapes foreign text for terminals, logs and Markdown, and limits its length.

Names, reasons and units come from the author of a benchmark, or from an artifact. In a terminal they must not move the
cursor or issue workflow commands. On GitHub they must not become markup, a link, a mention, a reference or a hidden
marker.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

from windtunnel.text import numbers

MAX_NAME_LENGTH = 160
"""Characters of a name that are shown: two lines of a page. Parameters of 700 characters exist."""
MAX_LINE_LENGTH = 4000
"""Characters of a line of a log that are shown: a tool's last words, a list of names."""
MAX_COMMENT_LENGTH = 60_000
"""Bytes of a comment. GitHub refuses more than 65,535 (of a check's summary); the rest is for a marker and a link."""
PLAIN_CHARACTERS = " ,.;()'%+-"
"""Characters that are not markup within a line of Markdown."""
CODE_DELIMITERS = frozenset("`|\\<>&")
"""Characters that would end a code span, a table cell or a hidden marker."""
LINKS = re.compile(r"([@#]|\bGH-|\bwww(?=\.)|:(?=//))", re.IGNORECASE)
"""The beginnings of what GitHub turns into mentions, references and links, up to where an invisible break stops it."""
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
BREAK = "\N{ZERO WIDTH SPACE}"


def visible(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """Return *text* on one line with unprintable characters escaped, cut in the middle to *longest* characters.

    The beginnings of a workflow command, ``::`` at the start and ``##[`` anywhere, are broken up.
    """
    shown = cut(text, longest)
    if not shown.isprintable():
        shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in shown)
    shown = cut(shown, longest).replace("##[", "# #[")
    return shown.replace("::", ": :", 1) if shown.lstrip().startswith("::") else shown


def escape_log(text: str) -> str:
    """Return *text* for a log, each of its lines as `visible` returns it."""
    return "\n".join(visible(line, MAX_LINE_LENGTH) for line in text.split("\n"))


def preformatted(text: str, longest: int = MAX_COMMENT_LENGTH) -> str:
    """Return the lines of *text* unchanged, in Markdown; no character of them is markup.

    The last lines are left out, and counted, if all of them take more than about *longest* bytes.
    """
    lines = _entities(text, allowed=PLAIN_CHARACTERS + "\n").splitlines(keepends=True)
    taken = [total for total in accumulate(map(size, lines)) if total <= longest]
    kept, left = "".join(lines[: len(taken)]), len(lines) - len(taken)
    note = f"... and {numbers.count(left, 'line')} more\n" if left else ""
    return f"<pre>{kept}{note}</pre>\n"


def cut(text: str, longest: int) -> str:
    """Return *text*, or its beginning and end around an ellipsis."""
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}{ELLIPSIS}{text[len(text) - (longest - 1 - head) :]}"


def common_parts(names: Sequence[str]) -> tuple[str, str]:
    """Return the beginning and the end that all *names* share, which do not overlap in the shortest of them."""
    first, last, room = min(names), max(names), min(map(len, names))
    start = next((at for at in range(room) if first[at] != last[at]), room)
    reverse = [name[::-1] for name in names]
    first, last = min(reverse), max(reverse)
    end = next((at for at in range(room - start) if first[at] != last[at]), room - start)
    return names[0][:start], names[0][len(names[0]) - end :]


def shorten(names: Collection[str], longest: int) -> Mapping[str, str]:
    """Return each of *names* in at most *longest* characters; names that differ stay different.

    Long names that begin and end alike are cut where all of them agree, other ones in their middle.
    """
    families: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        families.setdefault(name if len(name) <= longest else cut(name, longest // 2), []).append(name)
    shown: dict[str, str] = {}
    taken: set[str] = set()
    for family in families.values():
        start, end = common_parts(family)
        room = max(longest - max(len(name) - len(start) - len(end) for name in family), 2)
        after = max(room // 2, room - len(start))
        before = max(room - min(len(end), after), 1)
        left = start if len(start) <= before else f"{ELLIPSIS}{start[len(start) - before + 1 :]}"
        right = end if len(end) <= after else f"{end[: after - 1]}{ELLIPSIS}"
        for name in family:
            whole = f"{left}{name[len(start) : len(name) - len(end)]}{right}"
            short = cut(name if len(family) == 1 else whole, longest)
            mark = f" #{len(shown) + 1}"
            shown[name] = short if short not in taken else cut(short, longest - len(mark)) + mark
            taken.add(shown[name])
    return shown


def code(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """Return *text* as code in Markdown, also for table cells; GitHub links and mentions nothing in code.

    The result is a code span where it can hold the text, which keeps the source readable, and escaped HTML otherwise.
    """
    shown = visible(text, longest).strip()
    if not shown:
        return "<code></code>"
    if CODE_DELIMITERS.isdisjoint(shown):
        return f"`{shown}`"
    return f"<code>{_entities(shown)}</code>"


def plain(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """Return *text* as plain text in Markdown: no markup, and every mention, reference and link broken up."""
    escaped = _entities(LINKS.sub(f"\\1{BREAK}", visible(text, longest).strip()), allowed=PLAIN_CHARACTERS)
    return escaped.replace(f"&#{ord(BREAK)};", "&#8203;")


def _entities(text: str, allowed: str = " ,") -> str:
    """Return *text* with all but letters, digits and *allowed* as numeric entities, which Markdown reads as text."""
    return "".join(char if char.isalnum() or char in allowed else f"&#{ord(char)};" for char in text)


def fit_rows(rows: Sequence[str], longest: int, file: str) -> str:
    """Return the first of *rows* that fit into *longest* bytes, and the number of the others.

    *file* contains all of them. Returns "" where not even the number fits.
    """
    more = f"\n... and {{}} more: see {file}\n"
    room, taken = longest - size(more) - 10, 0
    for row in rows:
        room -= size(row)
        if room < 0:
            break
        taken += 1
    left = len(rows) - taken
    if longest < 2 * size(more):
        return ""
    return "".join(rows[:taken]) + (more.format(left) if left else "")


def size(text: str) -> int:
    """Return the number of bytes of *text*: GitHub counts them in summaries, and in comments the fewer characters."""
    return len(text.encode(errors="surrogatepass"))

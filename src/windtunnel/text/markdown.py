"""As many rows of Markdown as fit into a comment."""

from collections.abc import Sequence

LONGEST = 60_000
"""Characters; GitHub refuses comments above 65,536, and whoever posts this adds a marker and a link."""


def fitting(rows: Sequence[str], longest: int, file: str) -> str:
    """Return the first of *rows* that fit into *longest*, and how many did not; nothing where not even that fits.

    *file* is where all of them are.
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
    """Return how many UTF-16 units *text* takes, which is what GitHub counts."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2

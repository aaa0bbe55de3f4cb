"""The hidden line that identifies Windtunnel's own comment, and what is read back from an older text of it.

Only comments of Windtunnel's own author are read: anyone can write such a line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

from windtunnel.errors import UsageError
from windtunnel.text.escaping import size

KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")
LINE = re.compile(r"<!-- windtunnel:verdict key=([A-Za-z0-9_.-]+) head=([0-9a-f]{7,64}) run=(\d{1,18})\.(\d{1,6}) -->")
EARLIER = re.compile(r"^- `[0-9a-f]{7,10}`: .*$", re.MULTILINE)
HEADLINE = re.compile(r"\A## (.*)$", re.MULTILINE)
BEGIN, END = "<!-- windtunnel:earlier -->", "<!-- windtunnel:earlier-end -->"

MAX_EARLIER = 10
"""Earlier verdicts that stay in a comment."""
MAX_EARLIER_LENGTH = 4000
"""Characters of all of them together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentMetadata:
    """Which comment it is, and which run of a workflow wrote it."""

    key: str
    """Distinguishes the suites of a repository."""
    head: str
    """The commit."""
    run: int = 0
    """The workflow run."""
    attempt: int = 1
    """The attempt of the workflow run."""

    def __post_init__(self) -> None:
        """Reject a key that could not be read back."""
        if not KEY.fullmatch(self.key):
            raise UsageError(f"--key {self.key[:80]!r} is not valid; use up to 60 letters, digits, and . _ -")

    @property
    def order(self) -> tuple[int, int]:
        """Return a value that is larger for a later run; GitHub's ids grow."""
        return self.run, self.attempt

    def __str__(self) -> str:
        """Return the hidden line."""
        return f"<!-- windtunnel:verdict key={self.key} head={self.head} run={self.run}.{self.attempt} -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedVerdict:
    """What an existing comment of Windtunnel holds."""

    metadata: CommentMetadata
    """The hidden line."""
    headline: str
    """The heading without ``##``."""
    earlier: tuple[str, ...]
    """One line for each earlier verdict, newest first."""

    @classmethod
    def read(cls, body: str, key: str) -> Self | None:
        """Return what *body* holds, None where its last line is not the hidden line for *key*."""
        text = body.replace("\r\n", "\n")
        found = LINE.fullmatch(text.rstrip().rpartition("\n")[2])
        if found is None or found[1] != key:
            return None
        headline = HEADLINE.search(text)
        listed = text.partition(BEGIN)[2].partition(END)[0]
        return cls(
            metadata=CommentMetadata(key=key, head=found[2], run=int(found[3]), attempt=int(found[4])),
            headline=headline[1] if headline else "",
            earlier=tuple(EARLIER.findall(listed)),
        )

    def history(self, head: str) -> tuple[str, ...]:
        """Return a line for each verdict before the one on *head*, newest first, as many as a comment keeps."""
        own = (f"- `{self.metadata.head[:10]}`: {self.headline}",) if self.headline else ()
        others = [line for line in (*own, *self.earlier) if not line.startswith(f"- `{head[:10]}`")][:MAX_EARLIER]
        lengths = accumulate(map(size, others))
        return tuple(line for line, total in zip(others, lengths, strict=True) if total <= MAX_EARLIER_LENGTH)


def render_footer(metadata: CommentMetadata, earlier: Sequence[str]) -> str:
    """Return the end of a comment: the *earlier* verdicts, folded, and the hidden line."""
    if not earlier:
        return f"{metadata}\n"
    listed = "\n".join((BEGIN, *earlier, END))
    return f"<details><summary>Earlier verdicts: {len(earlier)}</summary>\n\n{listed}\n\n</details>\n\n{metadata}\n"

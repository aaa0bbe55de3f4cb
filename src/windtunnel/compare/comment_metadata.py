"""The hidden line by which Windtunnel knows its own comment again, and what it reads out of the old text.

Only comments of the own author are read so: anyone can write a marker, and foreign text in our comments cannot.
"""

import re
from dataclasses import dataclass
from typing import Self

from windtunnel.errors import UsageError

KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")
LINE = re.compile(r"<!-- windtunnel:verdict key=([A-Za-z0-9_.-]+) head=([0-9a-f]{7,64}) run=(\d{1,18})\.(\d{1,6}) -->")
EARLIER = re.compile(r"^- `[0-9a-f]{7,10}`: .*$", re.MULTILINE)
HEADLINE = re.compile(r"\A## (.*)$", re.MULTILINE)
BEGIN, END = "<!-- windtunnel:earlier -->", "<!-- windtunnel:earlier-end -->"

MOST_EARLIER, LONGEST_EARLIER = 10, 4000
"""Earlier verdicts that stay in a comment, and how many characters they may take together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentMetadata:
    """Which comment it is (*key*; a repository may have several suites) and which run of a workflow wrote it."""

    key: str
    head: str
    run: int = 0
    attempt: int = 1

    def __post_init__(self) -> None:
        """Refuse what would not be found again."""
        if not KEY.fullmatch(self.key):
            raise UsageError(f"--key {self.key[:80]!r} is no name; use up to 60 letters, digits, and . _ -")

    @property
    def order(self) -> tuple[int, int]:
        """Return what is larger for a later run: GitHub's ids grow."""
        return self.run, self.attempt

    def __str__(self) -> str:
        """Return the hidden line."""
        return f"<!-- windtunnel:verdict key={self.key} head={self.head} run={self.run}.{self.attempt} -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedVerdict:
    """A comment of ours, read back: its marker, its headline and the earlier verdicts it lists, newest first."""

    metadata: CommentMetadata
    headline: str
    earlier: tuple[str, ...]

    @classmethod
    def read(cls, body: str, key: str) -> Self | None:
        """Return what *body* says, None where it bears no marker for *key*; the last line counts."""
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
        """Return the verdicts that are earlier than the one on *head*, newest first, as many as a comment keeps."""
        own = (f"- `{self.metadata.head[:10]}`: {self.headline}",) if self.headline else ()
        others = [line for line in (*own, *self.earlier) if not line.startswith(f"- `{head[:10]}`")]
        kept, size = [], 0
        for line in others[:MOST_EARLIER]:
            size += len(line.encode("utf-16-le", errors="surrogatepass")) // 2
            if size > LONGEST_EARLIER:
                break
            kept.append(line)
        return tuple(kept)

"""Two sources that say different things of the same."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Conflict:
    """What two *sources* disagree about (*key*), and how (*reason*); what loses is kept where it can be."""

    key: str
    sources: tuple[str, str]
    reason: str

    def __str__(self) -> str:
        """One line for people, naming both sources."""
        return f"{self.key}: {self.sources[0]} and {self.sources[1]} disagree: {self.reason}"

"""Issues about alerts as plain values: what exists at GitHub, and what to change there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingIssue:
    """An issue as it is at GitHub."""

    number: int
    """The issue's number in its repository."""
    body: str
    """The issue's text."""
    is_open: bool
    """Whether the issue is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIssue:
    """Open an issue for an alert."""

    alert: str
    """The alert's id."""
    title: str
    """The title."""
    body: str
    """The text, in Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateIssue:
    """Replace an issue's title and text."""

    number: int
    """The issue's number."""
    title: str
    """The new title."""
    body: str
    """The new text, in Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseIssue:
    """Close an issue."""

    number: int
    """The issue's number."""
    completed: bool
    """Whether the issue counts as completed, or as not planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenIssue:
    """Reopen an issue that Windtunnel closed."""

    number: int
    """The issue's number."""


IssueChange = OpenIssue | UpdateIssue | CloseIssue | ReopenIssue
"""One thing to do at GitHub."""

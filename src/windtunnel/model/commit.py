"""What names a commit."""

from typing import NewType

CommitHash = NewType("CommitHash", str)
"""The full hash of a commit: 40 hexadecimal digits, or 64 in a SHA-256 repository."""

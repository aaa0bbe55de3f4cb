"""git, asked through its own command; the only code of Windtunnel that runs it."""

from windtunnel.git.process import Git
from windtunnel.git.repository import Commit, Repository, Tag, TreeHash

__all__ = ["Commit", "Git", "Repository", "Tag", "TreeHash"]

"""What `windtunnel init` keeps in workflow files: the pin, the options and a checksum, which shows edits by hand."""

import re
from difflib import unified_diff
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Self

from msgspec import Meta, Struct

from windtunnel import formats
from windtunnel.errors import DataError, UsageError

FOLDER = ".github/workflows"
PIN = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([0-9a-f]{40}|[0-9a-f]{64})")
OPTIONS = re.compile(r"^# Options: (\{.*\})$", re.MULTILINE)
CHECKSUM = re.compile(r"^# Checksum: ([0-9a-f]{16})\n", re.MULTILINE)
USES = re.compile(rf"uses: ([\w.-]+/[\w.-]+)/{re.escape(FOLDER)}/[\w-]+\.yml@([0-9a-f]{{40,64}}) # (\S+)")
SUITE_NAME = re.compile(r"(?!(?:comment|command)$)[A-Za-z0-9][A-Za-z0-9-]{0,39}")
"""The files of a suite with the name comment would have the names of the files of the suite without a name."""
HEAD = "# Written by `windtunnel init`; `windtunnel init --check` reports whether it is up to date.\n"


class Pin(Struct, frozen=True, kw_only=True):
    """The commit of Windtunnel that the workflows use."""

    repository: str
    """``owner/name``."""
    commit: str
    """The full hash."""
    release: str
    """The release, for readers."""

    @classmethod
    def parse(cls, text: str, release: str) -> Self:
        """Parse ``owner/name@hash``; raises UsageError."""
        found = PIN.fullmatch(text)
        if found is None:
            raise UsageError(
                f"{text[:120]!r} is not a pin; write OWNER/NAME@HASH with the full hash of the commit;\n"
                "git ls-remote https://github.com/OWNER/NAME lists the hash of each branch and tag\n"
                "(of a tag that has a second line with ^{} at its end, take the hash of that line: it is the commit)"
            )
        return cls(repository=found[1], commit=found[2], release=release)

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the pin in the text of a workflow file, None where there is none."""
        found = USES.search(text)
        return cls(repository=found[1], commit=found[2], release=found[3]) if found else None


class InitOptions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The options of ``windtunnel init``; the first workflow file of a suite keeps them for later calls."""

    config: str
    """The asv configuration, from the root of the repository that holds it."""
    branch: str = ""
    """The measured branch; empty for a suite apart from its project, whose default branch each run looks up."""
    own_branch: str = ""
    """The branch whose pushes start a run, where that is another one than *branch*."""
    repository: str = ""
    """This repository, ``owner/name``, whose forks of another name do not measure; empty where it is unknown."""
    name: str = ""
    """Distinguishes the suites of a repository; empty for the only one."""
    project: str = ""
    """The address of the measured project; empty where the suite is in the project's repository."""
    suite_repository: str = ""
    """The repository of the suite, ``owner/name`` or ``owner/name@ref``; empty where the suite is in this one."""
    runner: str = "ubuntu-24.04"
    """The label of the runners that measure."""
    label: str = ""
    """Only pull requests with this label are measured; empty for all."""
    deadline: int = 0
    """Minutes within which a pull request gets its verdict; 0 for the default."""
    max_runners: int = 0
    """The most runners that measure at the same time; 0 for the default."""
    changed_only: bool = False
    """Whether a pull request leaves out the cases that no changed file can affect."""
    setup: str = ""
    """The command that prepares each runner that builds or measures."""
    variables: tuple[str, ...] = ()
    """Environment variables of those runners, each ``NAME=VALUE``."""
    submodules: Annotated[str, Meta(pattern="^(no|yes|recursive)$")] = "no"
    """Whether submodules are checked out."""
    python: str = ""
    """The only Python to measure on, with or without the type of its environment; empty for those of the suite."""
    pages: bool = True
    """Whether the site is published."""
    site_branch: str = ""
    """The branch that gets the site; empty for a deployment to GitHub Pages."""
    site_folder: str = ""
    """The folder of the site on that branch."""
    site: str = ""
    """The address of the site; empty for that in the variable WINDTUNNEL_SITE."""
    results_branch: str = ""
    """The branch that keeps the results; empty for what the suite configures."""
    results_remote: str = ""
    """The repository that keeps the results; empty for this one."""
    self_check: bool = False
    """Whether a weekly run compares a commit with itself, to count false alarms and found slowdowns."""
    claims: bool = False
    """Whether a weekly run measures the claims of the suite."""
    instructions: bool = False
    """Whether histories have counts of instructions too."""

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the options in the text of a workflow file, None where there are none that can be read."""
        found = OPTIONS.search(text)
        try:
            return formats.decode(found[1].encode(), cls, "the workflow file") if found else None
        except DataError:
            return None

    @property
    def compares(self) -> bool:
        """Whether pull requests of this repository are compared: not where it holds only the suite."""
        return not self.project


class WorkflowFile(Struct, frozen=True, kw_only=True):
    """A workflow file."""

    path: str
    """From the repository's root."""
    content: str
    """The whole text."""


class WorkflowFileState(StrEnum):
    """How an existing file compares with what ``windtunnel init`` would write."""

    CURRENT = "is up to date"
    MISSING = "is missing"
    OUTDATED = "is out of date"
    EDITED = "was edited by hand"
    FOREIGN = "was not written by windtunnel"


def file_state(existing: str | None, wanted: str) -> WorkflowFileState:
    """Return the state of the text *existing*; the checksum in it shows whether anyone edited it."""
    if existing is None:
        return WorkflowFileState.MISSING
    if existing == wanted:
        return WorkflowFileState.CURRENT
    if Pin.find(existing) is None:
        return WorkflowFileState.FOREIGN
    return (
        WorkflowFileState.OUTDATED if add_checksum(CHECKSUM.sub("", existing)) == existing else WorkflowFileState.EDITED
    )


def render_diff(existing: str, wanted: WorkflowFile) -> str:
    """Return the changes that overwriting *existing* would make, as a unified diff."""
    lines = existing.splitlines(keepends=True), wanted.content.splitlines(keepends=True)
    return "".join(unified_diff(*lines, fromfile=wanted.path, tofile=f"{wanted.path} by windtunnel init"))


def add_checksum(text: str) -> str:
    """Return *text* with its checksum in the second line."""
    head, line_break, rest = text.partition("\n")
    return f"{head}{line_break}# Checksum: {sha256(text.encode()).hexdigest()[:16]}\n{rest}"

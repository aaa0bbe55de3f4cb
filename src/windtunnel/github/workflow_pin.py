"""How a repository uses Windtunnel: one commit of it by its hash, and what was asked for; workflow files hold both."""

import re
from dataclasses import dataclass, fields
from typing import Self

from windtunnel import formats
from windtunnel.errors import DataError, UsageError

FOLDER = ".github/workflows"
PIN = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([0-9a-f]{40}|[0-9a-f]{64})")
WISHES = re.compile(r"^# It was asked for (\{.*\})$", re.MULTILINE)
USES = re.compile(rf"uses: ([\w.-]+/[\w.-]+)/{re.escape(FOLDER)}/[\w-]+\.yml@([0-9a-f]{{40,64}}) # (\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """The commit of Windtunnel that is used: where it is, its full hash, and for people the release."""

    repository: str
    commit: str
    release: str

    @classmethod
    def parse(cls, text: str, release: str) -> Self:
        """Return what ``owner/name@hash`` names; raises UsageError."""
        found = PIN.fullmatch(text)
        if found is None:
            raise UsageError(
                f"{text[:120]!r} is no pin; write OWNER/NAME@HASH with the full hash of the commit, which\n"
                "git ls-remote https://github.com/OWNER/NAME 'v*' tells for each release"
            )
        return cls(repository=found[1], commit=found[2], release=release)

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Return the pin that a workflow file holds, None where it holds none."""
        found = USES.search(text)
        return cls(repository=found[1], commit=found[2], release=found[3]) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for; *label* empty: every pull request is measured.

    It stands in the first file, so that a later call need not be told again.
    """

    config: str
    branch: str
    runner: str = "ubuntu-24.04"
    label: str = ""
    pages: bool = True
    commands: bool = False
    """Whether comments that begin with ``/benchmark`` are heard."""

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Return the wishes that a workflow file holds, None where it holds none that can be read."""
        found = WISHES.search(text)
        try:
            return formats.decode(found[1].encode(), cls, "the workflow file") if found else None
        except DataError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption(Wishes):
    """What the files say of a repository."""

    pin: Pin

    @property
    def wishes(self) -> Wishes:
        """Return what was asked for alone."""
        return Wishes(**{field.name: getattr(self, field.name) for field in fields(Wishes)})

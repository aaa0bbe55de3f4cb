"""Writing several files of one size, each in one piece, over files that are there already."""

from dataclasses import dataclass

from windtunnel.scenarios.contract import LoadName, Outcome, Scenario, Variant

MEBIBYTE = 2**20

WORKERS = 12
"""Threads of every pool here: what asyncio gave the author of the first experiment, who had eight CPUs (CPUs + 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """How many files of how many bytes."""

    name: LoadName
    count: int
    size: int

    @property
    def outcome(self) -> Outcome:
        """The bytes that went into each file."""
        return (self.size,) * self.count


FILES = Scenario(
    name="files",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
        Variant(name="threads"),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000),
        Writes(name=LoadName.QUICK, count=10, size=4 * MEBIBYTE),
        Writes(name=LoadName.STANDARD, count=10, size=32 * MEBIBYTE),
        Writes(name=LoadName.ARTICLE, count=10, size=256 * MEBIBYTE),
    ),
)

"""Writing several files of one size, each in one piece, over files that are there already."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant
from windtunnel_scenarios.support.storage import Storage

MEBIBYTE = 2**20

WORKERS = 12
"""Threads of every pool here: what asyncio gave the author of the first experiment, who had eight CPUs (CPUs + 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """How many files of how many bytes, and where."""

    name: LoadName
    count: int
    size: int
    storage: Storage = Storage.DISK
    durable: bool = False
    """Whether each file is on the disk (``fsync``) before it is closed."""

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

FILE_ONE = Scenario(
    name="file_one",
    folder="files",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=1, size=1000),
        Writes(name=LoadName.QUICK, count=1, size=4 * MEBIBYTE),
        Writes(name=LoadName.STANDARD, count=1, size=32 * MEBIBYTE),
        Writes(name=LoadName.ARTICLE, count=1, size=256 * MEBIBYTE),
    ),
)

FILES_SETTLED = Scenario(
    name="files_settled",
    folder="files",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
        Variant(name="threads"),
        Variant(name="aiofiles_semaphore_4", needs=("aiofiles",)),
        Variant(name="aiofiles_semaphore_8", needs=("aiofiles",)),
        Variant(name="aiofiles_semaphore_12", needs=("aiofiles",)),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000),
        Writes(name=LoadName.QUICK, count=10, size=4 * MEBIBYTE),
        Writes(name=LoadName.STANDARD, count=10, size=32 * MEBIBYTE),
        Writes(name=LoadName.ARTICLE, count=10, size=256 * MEBIBYTE),
    ),
)

FILES_FIVE = Scenario(
    name="files_five",
    folder="files",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000),
        Writes(name=LoadName.QUICK, count=5, size=4 * MEBIBYTE),
        Writes(name=LoadName.STANDARD, count=5, size=32 * MEBIBYTE),
        Writes(name=LoadName.ARTICLE, count=5, size=256 * MEBIBYTE),
    ),
)

FILES_DURABLE = Scenario(
    name="files_durable",
    folder="files",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
        Variant(name="threads"),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000, durable=True),
        Writes(name=LoadName.QUICK, count=10, size=1 * MEBIBYTE, durable=True),
        Writes(name=LoadName.STANDARD, count=10, size=16 * MEBIBYTE, durable=True),
        Writes(name=LoadName.ARTICLE, count=10, size=64 * MEBIBYTE, durable=True),
    ),
)

FILES_TMPFS = Scenario(
    name="files_tmpfs",
    folder="files",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
        Variant(name="threads"),
        Variant(name="aiofiles_workers_1", needs=("aiofiles",)),
        Variant(name="aiofiles_workers_2", needs=("aiofiles",)),
        Variant(name="aiofiles_workers_4", needs=("aiofiles",)),
        Variant(name="aiofiles_workers_8", needs=("aiofiles",)),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000, storage=Storage.TMPFS),
        Writes(name=LoadName.QUICK, count=5, size=4 * MEBIBYTE, storage=Storage.TMPFS),
        Writes(name=LoadName.STANDARD, count=5, size=32 * MEBIBYTE, storage=Storage.TMPFS),
        Writes(name=LoadName.ARTICLE, count=5, size=256 * MEBIBYTE, storage=Storage.TMPFS),
    ),
)

FILES_TWO_VOLUMES = Scenario(
    name="files_two_volumes",
    folder="files",
    variants=(
        Variant(name="plain"),
        Variant(name="aiofiles_gather", needs=("aiofiles",)),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000, storage=Storage.TWO_VOLUMES),
        Writes(name=LoadName.QUICK, count=6, size=4 * MEBIBYTE, storage=Storage.TWO_VOLUMES),
        Writes(name=LoadName.STANDARD, count=6, size=32 * MEBIBYTE, storage=Storage.TWO_VOLUMES),
        Writes(name=LoadName.ARTICLE, count=6, size=256 * MEBIBYTE, storage=Storage.TWO_VOLUMES),
    ),
)

FILES_RAW = Scenario(
    name="files_raw",
    folder="files",
    variants=(
        Variant(name="dd_serial", tools=("dd",)),
        Variant(name="dd_parallel", tools=("dd",)),
        Variant(name="dd_serial_in_place", tools=("dd",)),
        Variant(name="dd_parallel_in_place", tools=("dd",)),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000),
        Writes(name=LoadName.QUICK, count=5, size=4 * MEBIBYTE),
        Writes(name=LoadName.STANDARD, count=5, size=32 * MEBIBYTE),
        Writes(name=LoadName.ARTICLE, count=5, size=256 * MEBIBYTE),
    ),
)

FILES_RAW_TMPFS = Scenario(
    name="files_raw_tmpfs",
    folder="files",
    variants=(
        Variant(name="dd_serial", tools=("dd",)),
        Variant(name="dd_parallel", tools=("dd",)),
        Variant(name="dd_serial_in_place", tools=("dd",)),
        Variant(name="dd_parallel_in_place", tools=("dd",)),
    ),
    loads=(
        Writes(name=LoadName.TRIAL, count=3, size=1000, storage=Storage.TMPFS),
        Writes(name=LoadName.QUICK, count=5, size=4 * MEBIBYTE, storage=Storage.TMPFS),
        Writes(name=LoadName.STANDARD, count=5, size=32 * MEBIBYTE, storage=Storage.TMPFS),
        Writes(name=LoadName.ARTICLE, count=5, size=256 * MEBIBYTE, storage=Storage.TMPFS),
    ),
)

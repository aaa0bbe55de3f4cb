"""Where files can be written: on a disk, in memory, or on two disks; and whether there is room."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from windtunnel_scenarios.model import UnavailableError

TMPFS = Path("/dev/shm")  # noqa: S108 - the tmpfs of every Linux; the folders in it get names of their own
MAX_MEMORY_SHARE = 1 / 8
"""Files on tmpfs take at most this share of the machine's memory."""

SECOND_DISK = "WINDTUNNEL_SECOND_VOLUME"
"""The environment variable that names a folder on another disk."""


class Storage(StrEnum):
    """The kind of place where files are written."""

    DISK = "disk"
    TMPFS = "tmpfs"
    TWO_DISKS = "two_disks"


def find_folders(storage: Storage, size: int) -> tuple[Path, ...]:
    """Return folders of that kind with room for ``size`` bytes twice; raises UnavailableError with what is missing."""
    if storage is Storage.TMPFS:
        found = find_tmpfs(size)
    elif storage is Storage.TWO_DISKS:
        found = find_two_disks(disk_folders())
    else:
        found = disk_folders()[:1]
    if not found:
        raise UnavailableError(f"every folder for temporary files is a tmpfs; set TMPDIR or {SECOND_DISK}")
    for folder in found:
        if shutil.disk_usage(folder).free < 2 * size:
            raise UnavailableError(f"{folder} has less than {2 * size:,} bytes free")
    return found


def find_tmpfs(size: int) -> tuple[Path, ...]:
    """Return the tmpfs, when files of that size leave most of the memory to others."""
    if file_system(TMPFS) != "tmpfs":
        raise UnavailableError(f"{TMPFS} is not a tmpfs here")
    if size > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * MAX_MEMORY_SHARE:
        raise UnavailableError(f"{size:,} bytes are more than {MAX_MEMORY_SHARE:.1%} of this machine's memory")
    return (TMPFS,)


def disk_folders() -> tuple[Path, ...]:
    """Return writable folders on disks, the one for temporary files first."""
    named = os.environ.get(SECOND_DISK)
    candidates = (tempfile.gettempdir(), named, "/var/tmp", "/mnt", Path.home())  # noqa: S108 - candidates, no names
    folders = (Path(candidate) for candidate in candidates if candidate)
    return tuple(folder for folder in folders if os.access(folder, os.W_OK) and file_system(folder) != "tmpfs")


def find_two_disks(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return two of the folders that are on two disks; two partitions of one disk share its queue."""
    first, *others = folders or (Path("/"),)
    for other in others:
        if None not in (disk_of(first), disk_of(other)) and disk_of(first) != disk_of(other):
            return first, other
    raise UnavailableError(f"no second disk found beside that of {first}; name a folder on one in {SECOND_DISK}")


def file_system(folder: Path) -> str | None:
    """Return the type of the file system that holds the folder; None where the kernel does not report it."""
    mounted: dict[Path, str] = {}
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        left, _, right = line.partition(" - ")
        mounted[Path(left.split(" ")[4])] = right.split(" ")[0]
    path = folder.resolve()
    return next((mounted[parent] for parent in (path, *path.parents) if parent in mounted), None)


def disk_of(folder: Path) -> str | None:
    """Return the disk behind the folder; None where the kernel does not report it, as for an overlay.

    A loop device over a file on a disk is that disk. Over a file in memory it is itself: it has a queue of its own.
    """
    number = folder.stat().st_dev
    block = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not block.exists():
        return None
    block = block.resolve()
    image = block / "loop" / "backing_file"
    if image.exists():
        holder = Path(image.read_text(encoding="utf-8").strip()).parent
        return block.name if file_system(holder) == "tmpfs" else disk_of(holder)
    return block.parent.name if (block / "partition").exists() else block.name

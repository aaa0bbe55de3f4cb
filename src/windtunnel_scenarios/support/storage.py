"""Where files can be written: a disk, memory, or two disks; and whether there is room."""

import os
import shutil
import tempfile
from enum import StrEnum
from pathlib import Path

from windtunnel_scenarios.model import UnavailableError

MEMORY = Path("/dev/shm")  # noqa: S108 - the tmpfs that every Linux has; folders in it get names of their own
MEMORY_SHARE = 8
"""At most this part of the machine's memory goes into files on tmpfs."""

SECOND_VOLUME = "WINDTUNNEL_SECOND_VOLUME"
"""Names a folder on another disk, where the machine has one in an unusual place."""


class Storage(StrEnum):
    """What kind of place the files lie in."""

    DISK = "disk"
    TMPFS = "tmpfs"
    TWO_VOLUMES = "two_volumes"


def places(storage: Storage, size: int) -> tuple[Path, ...]:
    """Folders of that kind with room for ``size`` bytes twice; UnavailableError says what is lacking."""
    if storage is Storage.TMPFS:
        found = memory(size)
    elif storage is Storage.TWO_VOLUMES:
        found = two_volumes()
    else:
        found = disks()[:1]
    if not found:
        raise UnavailableError(f"every folder for temporary files is a tmpfs; set TMPDIR or {SECOND_VOLUME}")
    for folder in found:
        if shutil.disk_usage(folder).free < 2 * size:
            raise UnavailableError(f"{folder} has less than {2 * size:,} bytes free")
    return found


def memory(size: int) -> tuple[Path, ...]:
    """The tmpfs, when the files leave most of the memory to others."""
    if filesystem(MEMORY) != "tmpfs":
        raise UnavailableError(f"{MEMORY} is no tmpfs here")
    if size * MEMORY_SHARE > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise UnavailableError(f"{size:,} bytes are more than 1/{MEMORY_SHARE} of this machine's memory")
    return (MEMORY,)


def disks() -> tuple[Path, ...]:
    """Writable folders on disks, the one for temporary files first."""
    named = os.environ.get(SECOND_VOLUME)
    candidates = (tempfile.gettempdir(), named, "/var/tmp", "/mnt", Path.home())  # noqa: S108 - candidates, no names
    folders = (Path(candidate) for candidate in candidates if candidate)
    return tuple(folder for folder in folders if os.access(folder, os.W_OK) and filesystem(folder) != "tmpfs")


def two_volumes() -> tuple[Path, ...]:
    """Two folders on two disks; two partitions of one disk share its queue and are not two volumes."""
    first, *others = disks() or (Path("/"),)
    for other in others:
        if None not in (device(first), device(other)) and device(first) != device(other):
            return first, other
    raise UnavailableError(f"no second disk found beside that of {first}; name a folder on one in {SECOND_VOLUME}")


def filesystem(folder: Path) -> str | None:
    """The type of the file system that holds the folder, where the kernel tells (Linux)."""
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


def device(folder: Path) -> str | None:
    """The whole disk behind the folder, where the kernel tells (Linux, and no overlay)."""
    number = folder.stat().st_dev
    block = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not block.exists():
        return None
    block = block.resolve()
    return block.parent.name if (block / "partition").exists() else block.name

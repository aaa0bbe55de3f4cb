"""Writing files."""

from os import sync as _sync

from benchmarks._bases import _Time


class Files(_Time):
    """Write ten files."""

    scenario = "files"
    variants = ("sync", "aiofiles_gather", "threads")
    version = "1"
    max_samples = 3


class OneFile(_Time):
    """Write one file."""

    scenario = "one_file"
    variants = ("sync", "aiofiles_gather")
    version = "1"
    max_samples = 5


class FiveFiles(_Time):
    """Write fewer files than the pool has threads, each time to a disk with nothing left to write."""

    scenario = "five_files"
    variants = ("sync", "aiofiles_gather")
    version = "1"
    max_samples = 3
    between = staticmethod(_sync)


class FilesAfterSync(_Time):
    """Write ten files, each time to a disk with nothing left to write."""

    scenario = "files_after_sync"
    variants = (
        "sync",
        "aiofiles_gather",
        "threads",
        "aiofiles_semaphore_4",
        "aiofiles_semaphore_8",
        "aiofiles_semaphore_12",
    )
    version = "1"
    max_samples = 3
    between = staticmethod(_sync)


class FilesFsync(_Time):
    """Write ten files and wait until the disk has them."""

    scenario = "files_fsync"
    variants = ("sync", "aiofiles_gather", "threads")
    version = "1"
    max_samples = 3


class FilesTmpfs(_Time):
    """Write five files to memory."""

    scenario = "files_tmpfs"
    variants = (
        "sync",
        "aiofiles_gather",
        "threads",
        "aiofiles_workers_1",
        "aiofiles_workers_2",
        "aiofiles_workers_4",
        "aiofiles_workers_8",
    )
    version = "1"
    max_samples = 5


class FilesTwoDisks(_Time):
    """Write six files to two disks in turn."""

    scenario = "files_two_disks"
    variants = ("sync", "aiofiles_gather")
    version = "1"
    max_samples = 3
    between = staticmethod(_sync)


class FilesDd(_Time):
    """Write five files without Python."""

    scenario = "files_dd"
    variants = ("dd_serial", "dd_parallel", "dd_serial_in_place", "dd_parallel_in_place")
    version = "1"
    max_samples = 3
    between = staticmethod(_sync)


class FilesDdTmpfs(_Time):
    """Write five files to memory without Python."""

    scenario = "files_dd_tmpfs"
    variants = ("dd_serial", "dd_parallel", "dd_serial_in_place", "dd_parallel_in_place")
    version = "1"
    max_samples = 3

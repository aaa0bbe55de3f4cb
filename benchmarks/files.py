"""Writing files."""

from os import sync as _sync

from benchmarks._bases import _PreparedTime, _Time


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


class FilesSynced(_Time):
    """Write ten files, until the disk has them."""

    scenario = "files_synced"
    loads = ("quick", "standard")
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


class OneFileSynced(_Time):
    """Write one file, until the disk has it."""

    scenario = "one_file_synced"
    variants = ("sync", "aiofiles_gather")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3
    between = staticmethod(_sync)


class FiveFilesSynced(_Time):
    """Write fewer files than the pool has threads, until the disk has them."""

    scenario = "five_files_synced"
    variants = ("sync", "aiofiles_gather")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3
    between = staticmethod(_sync)


class FilesFsync(_Time):
    """Write ten files, and wait for the disk after each."""

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
    """Write six files to two disks in turn, until the disks have them."""

    scenario = "files_two_disks"
    variants = ("sync", "aiofiles_gather", "sync_one_disk", "aiofiles_gather_one_disk")
    loads = ("quick", "standard")
    version = "2"
    max_samples = 3
    between = staticmethod(_sync)


class FilesDd(_PreparedTime):
    """Write five files without Python."""

    scenario = "files_dd"
    variants = (
        "dd_serial",
        "dd_parallel",
        "dd_serial_new",
        "dd_parallel_new",
        "dd_serial_in_place",
        "dd_parallel_in_place",
    )
    version = "1"
    max_samples = 3


class FilesDdSynced(_PreparedTime):
    """The same, until the disk has them."""

    scenario = "files_dd_synced"
    variants = FilesDd.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class FilesDdTmpfs(_PreparedTime):
    """The same to memory."""

    scenario = "files_dd_tmpfs"
    variants = FilesDd.variants
    version = "1"
    max_samples = 3


class ReadSmall(_Time):
    """Read many small files from the page cache."""

    scenario = "read_small"
    variants = (
        "sync",
        "sync_os",
        "threads",
        "thread_shares",
        "thread_shares_64_os",
        "aiofiles",
        "to_thread",
        "anyio_to_thread",
        "io_uring_12",
        "io_uring_64",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class ReadSmallCold(_PreparedTime):
    """Read many small files from the disk."""

    scenario = "read_small_cold"
    variants = ReadSmall.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class ReadLarge(_Time):
    """Read two large files from the page cache."""

    scenario = "read_large"
    variants = (
        "sync",
        "sync_whole",
        "threads",
        "aiofiles",
        "to_thread",
        "anyio_to_thread",
        "io_uring_2",
        "io_uring_12",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class ReadLargeCold(_PreparedTime):
    """Read two large files from the disk."""

    scenario = "read_large_cold"
    variants = ReadLarge.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3

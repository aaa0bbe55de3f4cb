"""Run a command with two volumes: ext4 file systems in memory, each on a loop device over an image on a tmpfs.

    sudo .venv/bin/python -m studies.two_volumes -- .venv/bin/windtunnel measure-claims --claim Z16

Mounting needs root. The volumes have queues and journals of their own, and the processor is their limit, not a disk:
they show what two volumes bring where the disk does not hold back. ``files_two_disks`` finds them through TMPDIR and
WINDTUNNEL_SECOND_VOLUME. They are removed at the end.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

from windtunnel_scenarios.support.storage import SECOND_DISK, TMPFS

MEBIBYTE = 2**20
DEFAULT_SIZE = 1024
"""MiB of each volume: the files of all cases of a block, as much again for the last one, and the journal."""


def main(arguments):
    """Mount both volumes, run the command, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=DEFAULT_SIZE, metavar="MIB", help="MiB of each volume")
    parser.add_argument("command", nargs="+", help="what to run, after --")
    options = parser.parse_args(arguments)
    if os.geteuid() != 0:
        parser.error("mounting needs root; run it with sudo")
    with volume(options.size) as first, volume(options.size) as second:
        environment = os.environ | {"TMPDIR": str(first), SECOND_DISK: str(second)}
        return subprocess.run(options.command, env=environment, check=False).returncode


@contextmanager
def volume(size, images=TMPFS):
    """Mount a file system of so many MiB, with its image in a folder, and yield where it is mounted."""
    with ExitStack() as stack:
        image = Path(stack.enter_context(tempfile.NamedTemporaryFile(dir=images, suffix=".img")).name)
        os.truncate(image, size * MEBIBYTE)
        subprocess.run(("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image)), check=True)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="windtunnel-volume-")))
        subprocess.run(("mount", "-o", "loop", str(image), str(folder)), check=True)
        stack.callback(subprocess.run, ("umount", str(folder)), check=True)
        yield folder


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
